/** One-liners in interpreters: which code an invocation runs, and what that code would do. */
import { type Arg, arg, UNKNOWN } from "./arg.ts";
import type { Deed } from "./code/deeds.ts";
import { deedsOf } from "./code/evaluate.ts";
import type { Language } from "./code/tokens.ts";
import type { Invocation } from "./invocation.ts";
import { has, type OptionShape, readOptions } from "./options.ts";
import { inputText } from "./printed-text.ts";

interface Interpreter {
  readonly language: Language;
  readonly shape: OptionShape;
  /** Options whose value is code. */
  readonly code: readonly string[];
  /** Options after which there is no script file: modules, versions. */
  readonly noScript?: readonly string[];
  /** Words before the code or the script: `deno eval`, `bun run`. */
  readonly verbs?: { readonly code?: readonly string[]; readonly script?: readonly string[]; readonly other?: RegExp };
}

const PYTHON: Interpreter = {
  language: "python",
  shape: { valued: ["c", "m", "W", "X", "Q"], stopAtOperand: true },
  code: ["c"],
  noScript: ["m", "V", "version", "h", "help"],
};
const NODE: Interpreter = {
  language: "javascript",
  shape: {
    valued: [
      "e",
      "eval",
      "p",
      "print",
      "r",
      "require",
      "import",
      "loader",
      "env-file",
      "input-type",
      "C",
      "conditions",
      "cwd",
    ],
    stopAtOperand: true,
  },
  code: ["e", "eval", "p", "print"],
  noScript: ["v", "version", "h", "help", "test", "check", "c", "run"],
};
const INTERPRETERS: Readonly<Record<string, Interpreter | undefined>> = Object.assign(Object.create(null), {
  python: PYTHON,
  pypy: PYTHON,
  ipython: PYTHON,
  jython: PYTHON,
  node: NODE,
  nodejs: NODE,
  tsx: NODE,
  "ts-node": NODE,
  electron: NODE,
  qjs: NODE,
  zx: NODE,
  bun: { ...NODE, verbs: { script: ["run"], other: /^[a-z]+$/ } },
  deno: { ...NODE, verbs: { code: ["eval"], script: ["run"], other: /^[a-z]+$/ } },
  perl: {
    language: "perl",
    shape: { valued: ["e", "E", "I", "M", "m", "F"], stopAtOperand: true },
    code: ["e", "E"],
    noScript: ["v", "V", "h"],
  },
  ruby: {
    language: "ruby",
    shape: { valued: ["e", "r", "I", "C", "K", "E"], stopAtOperand: true },
    code: ["e"],
    noScript: ["v", "version", "h"],
  },
  php: {
    language: "php",
    shape: { valued: ["r", "B", "R", "E", "d", "c", "f", "S", "t"], stopAtOperand: true },
    code: ["r", "B", "R", "E"],
    noScript: ["v", "i", "m", "l", "S"],
  },
  lua: { language: "lua", shape: { valued: ["e", "l"], stopAtOperand: true }, code: ["e"], noScript: ["v"] },
  rscript: { language: "r", shape: { valued: ["e", "expression"], stopAtOperand: true }, code: ["e", "expression"] },
  r: { language: "r", shape: { valued: ["e", "expression"] }, code: ["e", "expression"], noScript: ["vanilla", "q"] },
  julia: {
    language: "julia",
    shape: { valued: ["e", "eval", "E", "print"], stopAtOperand: true },
    code: ["e", "eval", "E"],
  },
  elixir: { language: "elixir", shape: { valued: ["e", "eval"], stopAtOperand: true }, code: ["e", "eval"] },
  iex: { language: "elixir", shape: { valued: ["e", "eval"], stopAtOperand: true }, code: ["e", "eval"] },
  groovy: { language: "javascript", shape: { valued: ["e"], stopAtOperand: true }, code: ["e"] },
});

export interface Running {
  readonly language: Language;
  readonly options: ReturnType<typeof readOptions>;
  /** Source text that is known. */
  readonly code: readonly string[];
  /** The file that is run. */
  readonly script: Arg | undefined;
  /** Reads its code from stdin. */
  readonly fromStdin: boolean;
}

/** `python3.12` is python. */
export function interpreterName(program: string): string {
  const before = names.get(program);
  if (before !== undefined) return before;
  const name = versionless(program);
  if (names.size < MAX_NAMES) names.set(program, name);
  return name;
}

const MAX_NAMES = 2_000;
const names = new Map<string, string>();
const versionless = (program: string) =>
  program
    .toLowerCase()
    .replace(/^(python|pypy|ruby|perl|php|lua|node|ipython)(jit|w|-?[\d.]+)+(\.exe)?$/, "$1")
    .replace(/\.exe$/, "");

export function runningOf({ program, args: written, stdin, script: known }: Invocation): Running | undefined {
  const interpreter = INTERPRETERS[interpreterName(program)];
  if (!interpreter) return undefined;
  const { language, shape, verbs } = interpreter;
  // `node -pe code` is `-p` with code, not `-p e`.
  const args = written.map((item) =>
    language === "javascript" && item.text === "-pe" ? { ...item, text: "-p" } : item,
  );
  let options = readOptions(args, shape);
  let [first, ...rest] = options.operands;
  let code = interpreter.code.flatMap((name) => allValues(args, name, options.values.get(name)));
  if (first && verbs && code.length === 0) {
    options = readOptions(rest, shape);
    if (verbs.code?.includes(first.text)) code = options.operands.slice(0, 1).map(({ text }) => text);
    else if (verbs.script?.includes(first.text)) [first, ...rest] = options.operands;
    if (verbs.code?.includes(first?.text ?? "") || (first && verbs.other?.test(first.text) && !/[./]/.test(first.text)))
      return { language, options, code, script: undefined, fromStdin: false };
  }
  if (code.length > 0) return { language, options, code, script: undefined, fromStdin: false };
  const file = options.values.get("f");
  const script = file ?? (first && first.text !== "-" && first.text !== "/dev/stdin" ? first : undefined);
  if (script) {
    const nothing = interpreter.noScript?.some((name) => has(options, name)) === true;
    return {
      language,
      options,
      code: known?.text ? [known.text] : [],
      script: nothing ? undefined : script,
      fromStdin: false,
    };
  }
  if (interpreter.noScript?.some((name) => has(options, name))) return undefined;
  const text = inputText(stdin);
  return { language, options, code: text === undefined ? [] : [text], script: undefined, fromStdin: true };
}

/** Perl and Ruby take `-e` several times; readOptions keeps the last. */
function allValues(args: readonly Arg[], name: string, last: Arg | undefined): string[] {
  if (!last) return [];
  const flag = name.length === 1 ? new RegExp(`^-\\w*${name}$`) : new RegExp(`^--${name}$`);
  const found = args.flatMap(({ text }, index) =>
    flag.test(text) && args[index + 1] ? [(args[index + 1] as Arg).text] : [],
  );
  return found.length > 1 ? [found.join("\n")] : [last.text];
}

const cache = new WeakMap<Invocation, readonly Deed[]>();

/** What the code of an invocation would do. */
export function codeDeeds(invocation: Invocation): readonly Deed[] {
  const before = cache.get(invocation);
  if (before) return before;
  const running = runningOf(invocation);
  const deeds = running ? running.code.flatMap((code) => deedsOf(code, running.language)) : otherDeeds(invocation);
  cache.set(invocation, deeds);
  return deeds;
}

export const isInterpreter = (program: string) => INTERPRETERS[interpreterName(program)] !== undefined;

/** Programs with a small language of their own that can start others. */
function otherDeeds(invocation: Invocation): readonly Deed[] {
  return OTHERS[interpreterName(invocation.program)]?.(invocation) ?? [];
}

const script = (text: string, via: string): Deed => ({ type: "script", text, via });

/** awk: `system("…")`, `print | "cmd"`, `"cmd" | getline`, `print > "file"`. */
const awk = ({ program, args, stdin }: Invocation): Deed[] => {
  const options = readOptions(args, {
    valued: ["F", "v", "f", "i", "e", "assign", "field-separator", "file", "source"],
    stopAtOperand: true,
  });
  const files = has(options, "f", "file", "e", "source") ? options.operands : options.operands.slice(1);
  const text =
    options.values.get("e")?.text ??
    options.values.get("source")?.text ??
    (has(options, "f", "file") ? "" : (options.operands[0]?.text ?? ""));
  const deeds: Deed[] = [...deedsOf(text, "awk")];
  for (const [, command] of text.matchAll(/\|&?\s*"((?:[^"\\]|\\.)*)"/g))
    if (command) deeds.push(script(unquoted(command), program));
  for (const [, command] of text.matchAll(/"((?:[^"\\]|\\.)*)"\s*\|&?\s*getline/g))
    if (command) deeds.push(script(unquoted(command), program));
  for (const [, to, path] of text.matchAll(/(>>?)\s*"((?:[^"\\]|\\.)*)"/g))
    if (path && /\bprintf?\b/.test(text)) deeds.push({ type: "overwrite", path: arg(path), append: to === ">>" });
  const inPlace = options.values.get("i")?.text === "inplace";
  for (const file of files)
    if (!/^\w+=/.test(file.text))
      deeds.push(inPlace ? { type: "overwrite", path: file, append: true } : { type: "read", path: file });
  return stdin.type === "file" ? deeds : deeds;
};

const unquoted = (text: string) => text.replace(/\\(.)/g, "$1");

/** vim -c ':!cmd', +'!cmd', ex commands on stdin. */
const vim = ({ program, args, stdin }: Invocation): Deed[] => {
  const commands = args.flatMap(({ text }, index) => {
    if (text.startsWith("+")) return [text.slice(1)];
    return /^(-c|--cmd)$/.test(args[index - 1]?.text ?? "") ? [text] : [];
  });
  const input = stdin.type === "text" || stdin.type === "pipe" ? inputText(stdin) : undefined;
  const lines = [...commands, ...(input?.split("\n") ?? [])];
  return lines.flatMap((line): Deed[] => {
    const shell =
      /^:?\s*(?:silent!?\s+)?(?:%|\.|\d+)?\s*(?:r(?:ead)?\s*)?!\s*(.+)$/s.exec(line)?.[1] ??
      /\bsystem\((['"])(.*?)\1\)/s.exec(line)?.[2];
    if (shell) return [script(shell, program)];
    const write = /^:?\s*(?:w|write|saveas)!?\s+(\/\S+|~\S*)/.exec(line)?.[1];
    return write ? [{ type: "overwrite", path: arg(write), append: false }] : [];
  });
};

const emacs = ({ program, args }: Invocation): Deed[] =>
  args.flatMap(({ text }): Deed[] => {
    const lisp = text.replace(/^--(eval|execute)=/, "");
    const deeds: Deed[] = [];
    for (const [, body] of lisp.matchAll(
      /\((?:shell-command(?:-to-string)?|call-process-shell-command)\s+"((?:[^"\\]|\\.)*)"/g,
    ))
      if (body) deeds.push(script(unquoted(body), program));
    for (const [, kind, path, rest] of lisp.matchAll(/\(delete-(file|directory)\s+"((?:[^"\\]|\\.)*)"([^)]*)/g))
      if (path)
        deeds.push({ type: "delete", path: arg(path), recursive: kind === "directory" && /\bt\b/.test(rest ?? "") });
    return deeds;
  });

/** AppleScript: `do shell script "…"`, `tell application "Finder" to delete …`. */
const osascript = ({ program, args, stdin }: Invocation): Deed[] => {
  const texts = args.flatMap(({ text }, index) => (args[index - 1]?.text === "-e" ? [text] : []));
  const input = args.length === 0 || args.at(-1)?.text === "-" ? inputText(stdin) : undefined;
  const all = [...texts, ...(input ? [input] : [])].join("\n");
  const deeds: Deed[] = [];
  for (const [, body] of all.matchAll(/do shell script\s+"((?:[^"\\]|\\.)*)"/g))
    if (body) deeds.push(script(unquoted(body), program));
  for (const [, body] of all.matchAll(/doShellScript\((['"])((?:[^"'\\]|\\.)*)\1/g))
    if (body) deeds.push(script(unquoted(body), program));
  return deeds;
};

/** sed: GNU's `e` command and flag run programs. */
const sed = ({ program, args }: Invocation): Deed[] => {
  const options = readOptions(args, { valued: ["e", "f", "expression", "file", "l"] });
  const expressions = [
    options.values.get("e"),
    options.values.get("expression"),
    has(options, "e", "expression", "f", "file") ? undefined : options.operands[0],
  ];
  return expressions.flatMap((expression): Deed[] => {
    const text = expression?.text ?? "";
    const command = /^(?:\d+|\$|\/[^/]*\/)?\s*e\s+(.+)$/s.exec(text)?.[1];
    if (command) return [script(command, program)];
    const replaced = /^s(.)(?:(?!\1).)*\1((?:(?!\1).)*)\1\w*e\w*$/s.exec(text)?.[2];
    return replaced ? [script(replaced, program)] : [];
  });
};

/** SQL shells: `.shell cmd`, `\! cmd`. */
const sqlShell = ({ program, args, stdin }: Invocation): Deed[] => {
  const texts = [...args.map(({ text }) => text), inputText(stdin) ?? ""].flatMap((text) => text.split("\n"));
  return texts.flatMap((text): Deed[] => {
    const command = /^\s*(?:\.(?:shell|system)\s+|\\!\s*|system\s+)(.+)$/.exec(text)?.[1];
    return command ? [script(command, program)] : [];
  });
};

/** tar's hooks. */
const tar = ({ program, args }: Invocation): Deed[] =>
  args.flatMap(({ text }, index): Deed[] => {
    const command =
      /^--checkpoint-action=exec=(.+)$/s.exec(text)?.[1] ??
      /^--(?:to-command|use-compress-program|rsh-command)=(.+)$/s.exec(text)?.[1] ??
      (/^(-I|--to-command|--use-compress-program)$/.test(text) ? args[index + 1]?.text : undefined);
    return command ? [script(command, program)] : [];
  });

const zip = ({ program, args }: Invocation): Deed[] =>
  args.flatMap(({ text }, index): Deed[] => {
    const command = text.startsWith("--unzip-command=")
      ? text.slice(16)
      : args[index - 1]?.text === "-TT"
        ? text
        : undefined;
    return command ? [script(command, program)] : [];
  });

/** PowerShell's syntax is near enough to a shell's for its commands to be told apart. */
const powershell = ({ program, args, stdin }: Invocation): Deed[] => {
  const at = args.findIndex(({ text }) => /^[-/](c|command)$/i.test(text));
  const encoded = args.findIndex(({ text }) => /^[-/](e|ec|enc|encodedcommand)$/i.test(text));
  if (encoded >= 0) {
    const text = utf16(args[encoded + 1]?.text ?? "");
    return [
      text === undefined
        ? { type: "hidden-code", how: "an encoded PowerShell command" }
        : script(fromPowershell(text), program),
    ];
  }
  const loose = args.findIndex(({ text }) => !/^[-/]/.test(text));
  const previous = args[loose - 1]?.text ?? "";
  const isFile = args.some(({ text }) => /^[-/]f(ile)?$/i.test(text)) || /\.ps1$/i.test(args[loose]?.text ?? "");
  const whole = args.map(({ text }) => text).join(" ");
  if (
    /\b(iex|invoke-expression)\b/i.test(whole) &&
    /downloadstring|\biwr\b|\birm\b|invoke-(webrequest|restmethod)/i.test(whole)
  )
    return [{ type: "remote-code", source: /https?:[^'"\s)]+/.exec(whole)?.[0] ?? "the network" }];
  if (at >= 0)
    return [
      script(
        fromPowershell(
          args
            .slice(at + 1)
            .map(({ text }) => text)
            .join(" "),
        ),
        program,
      ),
    ];
  if (loose >= 0 && !isFile && !/^[-/](ex|executionpolicy|ep|version|windowstyle|w)$/i.test(previous))
    return [
      script(
        fromPowershell(
          args
            .slice(loose)
            .map(({ text }) => text)
            .join(" "),
        ),
        program,
      ),
    ];
  const input = inputText(stdin);
  return input === undefined ? [] : [script(fromPowershell(input), program)];
};

/** What differs from a shell: `$env:X`, backslashes in paths, script blocks. */
const fromPowershell = (text: string) =>
  text
    .replace(/\$env:(USERPROFILE|HOME\w*)|\$HOME\b/gi, "~")
    .replace(/\$env:(SystemDrive)/gi, "C:")
    .replace(/\$env:\w+/gi, UNKNOWN)
    .replace(/\\/g, "/")
    .replace(/[(){}]/g, " ; ");

function utf16(text: string): string | undefined {
  try {
    const bytes = atob(text);
    return bytes.replace(/\0/g, "");
  } catch {
    return undefined;
  }
}

/** `cmd /c "del /s /q C:\\x"`. */
const cmd = ({ program, args }: Invocation): Deed[] => {
  const at = args.findIndex(({ text }) => /^\/[ck]$/i.test(text) || /^\/\/[ck]$/i.test(text));
  return at < 0
    ? []
    : [
        script(
          args
            .slice(at + 1)
            .map(({ text }) => text)
            .join(" ")
            .replace(/\\/g, "/")
            .replace(/\^/g, ""),
          program,
        ),
      ];
};

const OTHERS: Readonly<Record<string, ((invocation: Invocation) => Deed[]) | undefined>> = Object.assign(
  Object.create(null),
  Object.fromEntries([
    ...["awk", "gawk", "mawk", "nawk"].map((name) => [name, awk]),
    ...["vim", "nvim", "vi", "ex", "view", "gvim", "ed"].map((name) => [name, vim]),
    ...["emacs", "emacsclient"].map((name) => [name, emacs]),
    ["osascript", osascript],
    ...["sed", "gsed"].map((name) => [name, sed]),
    ...["sqlite3", "psql", "mysql", "mariadb", "duckdb"].map((name) => [name, sqlShell]),
    ...["tar", "gtar", "bsdtar"].map((name) => [name, tar]),
    ["zip", zip],
    ...["powershell", "pwsh"].map((name) => [name, powershell]),
    ["cmd", cmd],
  ]),
);

/** Programs whose words can hold a command of another language. */
export const mayHoldCode = (program: string) =>
  isInterpreter(program) || OTHERS[interpreterName(program)] !== undefined;
