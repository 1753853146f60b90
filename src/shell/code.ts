/** One-liners in interpreters: which code an invocation runs, and what that code would do. */
import type { Arg } from "./arg.ts";
import type { Deed } from "./code/deeds.ts";
import { deedsOf } from "./code/evaluate.ts";
import { OTHERS } from "./code/other-programs.ts";
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
  if (language === "perl") code = [...behindModules(args), ...code];
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

/** `-Mstrict;system(…)`: Perl puts `use` in front of it and runs it. */
const behindModules = (args: readonly Arg[]) =>
  args.flatMap(({ text }, index) => {
    const glued = /^-[a-zA-Z]*?[mM](.*)$/s.exec(text)?.[1];
    const module = glued === "" ? (args[index + 1]?.text ?? "") : glued;
    return module?.includes(";") ? [module.slice(module.indexOf(";") + 1)] : [];
  });

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

/** Programs whose words can hold a command of another language. */
export const mayHoldCode = (program: string) =>
  isInterpreter(program) || OTHERS[interpreterName(program)] !== undefined;
