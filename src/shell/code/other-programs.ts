/** Programs that are no interpreters but run code all the same: editors, archivers, database shells. */
import { type Arg, arg, UNKNOWN } from "../arg.ts";
import type { Invocation } from "../invocation.ts";
import { has, readOptions } from "../options.ts";
import { inputText, printedText } from "../printed-text.ts";
import { readSedCall } from "../sed-call.ts";
import type { Deed } from "./deeds.ts";
import { deedsOf } from "./evaluate.ts";
import { sedDeeds } from "./sed-script.ts";

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
  for (const path of namedByVariables(text, options.values.get("v") ?? options.values.get("assign")))
    deeds.push({ type: "overwrite", path: arg(path), append: true });
  const inPlace = options.values.get("i")?.text === "inplace";
  for (const file of files)
    if (!/^\w+=/.test(file.text))
      deeds.push(inPlace ? { type: "overwrite", path: file, append: true } : { type: "read", path: file });
  return stdin.type === "file" ? deeds : deeds;
};

/** `f="file"; print > f`, `awk -v f=file '{print > f}'`. */
function namedByVariables(text: string, given: Arg | undefined): string[] {
  if (!/\bprintf?\b/.test(text)) return [];
  const names = new Map<string, string>();
  for (const [, name, value] of text.matchAll(/\b(\w+)\s*=\s*"((?:[^"\\]|\\.)*)"/g))
    if (name) names.set(name, value ?? "");
  const [, name, value] = /^(\w+)=(.*)$/s.exec(given?.text ?? "") ?? [];
  if (name) names.set(name, value ?? "");
  return [...text.matchAll(/>>?\s*\(?\s*([a-zA-Z_]\w*)\b/g)].flatMap(([, to]) => names.get(to ?? "") || []);
}

const unquoted = (text: string) => text.replace(/\\(.)/g, "$1");

/** vim -c ':!cmd', +'!cmd', ex commands on stdin. */
const vim = ({ program, args, stdin }: Invocation): Deed[] => {
  const commands = args.flatMap(({ text }, index) => {
    if (text.startsWith("+")) return [text.slice(1)];
    return /^(-\w*c|--cmd)$/.test(args[index - 1]?.text ?? "") ? [text] : [];
  });
  const input = stdin.type === "text" || stdin.type === "pipe" ? inputText(stdin) : undefined;
  const lines = [...commands, ...(input?.split("\n") ?? [])];
  return lines.flatMap((line): Deed[] => {
    const shell =
      /^:?\s*(?:silent!?\s+)?(?:%|\.|\d+)?\s*(?:r(?:ead)?\s*|w(?:rite)?\s+)?!\s*(.+)$/s.exec(line)?.[1] ??
      /\bsystem\((['"])(.*?)\1\)/s.exec(line)?.[2];
    if (shell) return [script(shell, program)];
    const write =
      /^:?\s*[\d,.$%]*\s*(?:w|write|saveas)!?\s+([^\s!|]+)/.exec(line)?.[1] ??
      /\b(?:delete|writefile)\(.*?(['"])([^'"]+)\1(?:\s*,\s*['"]\w*['"])?\s*\)/.exec(line)?.[2];
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
    for (const [, path] of lisp.matchAll(/\(write-(?:region|file)\b[^)]*?"([^"]*)"\s*(?:t\s*)?\)/g))
      if (path) deeds.push({ type: "overwrite", path: arg(path), append: false });
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

/** sed: GNU's `e` command and flag run programs, `w` writes files. */
const sed = ({ program, args, stdin, script: known }: Invocation): Deed[] => {
  const { script: given, scriptFiles, files, sandboxed } = readSedCall(args);
  if (sandboxed) return [];
  const texts = scriptFiles.map((file) =>
    file.text === "-" ? inputText(stdin) : file.from ? printedText(file.from) : known?.text,
  );
  const runsLine = (): Deed[] =>
    files.length > 0
      ? files.map((file) => ({ type: "words", words: [arg("sh"), file], via: program }))
      : [script(inputText(stdin) ?? "", program)];
  const deeds = [given, ...texts].flatMap((text) => sedDeeds(text ?? ""));
  const found = deeds.flatMap((deed): Deed[] => {
    if (deed.type === "run-line") return [];
    return deed.type === "run"
      ? [script(deed.command, program)]
      : [{ type: "overwrite", path: arg(deed.path), append: false }];
  });
  return deeds.some(({ type }) => type === "run-line") ? [...found, ...runsLine()] : found;
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

export const OTHERS: Readonly<Record<string, ((invocation: Invocation) => Deed[]) | undefined>> = Object.assign(
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
