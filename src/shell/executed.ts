/** Where the code that an invocation runs comes from. */
import { type Arg, arg, UNKNOWN } from "./arg.ts";
import { interpreterName, isInterpreter, runningOf } from "./code.ts";
import type { Invocation } from "./invocation.ts";
import { has, readOptions } from "./options.ts";
import { isSed, readSedCall } from "./sed-call.ts";

export interface Executed {
  readonly interpreter: string;
  /** The file that is run. */
  readonly script?: Arg;
  /** The programs whose output is run. */
  readonly from: readonly Invocation[];
}

const SHELLS = new Set([
  "sh",
  "bash",
  "dash",
  "zsh",
  "ksh",
  "mksh",
  "ash",
  "fish",
  "rbash",
  "csh",
  "tcsh",
  "pwsh",
  "powershell",
  "busybox",
]);
const RUN_BY_SHELL = new Set(["eval", "source", "."]);
export const isShell = (program: string) => SHELLS.has(program);

/** `+x` and the like switch off what `-x` switches on. */
export const shellOptions = (args: readonly Arg[]) =>
  readOptions(
    args.map((word) =>
      /^\+[a-zA-Z]+$/.test(word.text) ? { ...word, text: word.text.replace(/[cs]/g, "").replace("+", "-") } : word,
    ),
    { valued: ["o", "O", "init-file", "rcfile"], stopAtOperand: true },
  );

export function executedBy(invocation: Invocation): Executed | undefined {
  const { program, args, stdin, path, from } = invocation;
  if (isSed(program)) return sedFile(readSedCall(args).scriptFiles[0]);
  if (!path && !from && !isShell(program) && !isInterpreter(program) && !RUN_BY_SHELL.has(program)) return undefined;
  const piped = stdin.type === "pipe" ? stdin.producers : [];
  if (isShell(program)) {
    const options = shellOptions(args);
    const [first] = options.operands;
    if (has(options, "c")) return { interpreter: program, from: first?.from ?? [] };
    if (first && !has(options, "s") && first.text !== "-" && first.text !== "/dev/stdin")
      return { interpreter: program, script: first, from: first.from ?? [] };
    if (stdin.type === "file") return { interpreter: program, script: stdin.path, from: stdin.path.from ?? [] };
    return { interpreter: program, from: piped };
  }
  if (program === "eval") return { interpreter: "eval", from: args.flatMap((word) => word.from ?? []) };
  if (program === "source" || program === ".")
    return args[0]?.text === "/dev/stdin"
      ? { interpreter: "source", from: piped }
      : args[0] && { interpreter: "source", script: args[0], from: args[0].from ?? [] };
  const running = runningOf(invocation);
  if (running) {
    const interpreter = interpreterName(program);
    if (running.script) return { interpreter, script: running.script, from: running.script.from ?? [] };
    if (!running.fromStdin) return { interpreter, from: codeArguments(args) };
    if (stdin.type === "file") return { interpreter, script: stdin.path, from: [] };
    return { interpreter, from: piped };
  }
  if (from && program.includes(UNKNOWN)) return { interpreter: "the shell", from };
  if (path && !SYSTEM_PROGRAMS.test(path.text)) return { interpreter: "itself", script: path, from: [] };
  return undefined;
}

const sedFile = (script: Arg | undefined): Executed | undefined =>
  script && script.text !== "-" ? { interpreter: "sed", script, from: script.from ?? [] } : undefined;

/** `python -c "$(curl …)"`. */
const codeArguments = (args: readonly Arg[]) =>
  args.flatMap(({ from }, index) =>
    from && /^-\w*[ceErp]$|^--?(eval|print)$|^eval$/.test(args[index - 1]?.text ?? "") ? from : [],
  );

export const SYSTEM_PROGRAMS = /^\/(usr|bin|sbin|opt|nix|System|Library)\//;

export function scriptOf(invocation: Invocation): Arg | undefined {
  const script = executedBy(invocation)?.script;
  return script && script.text !== UNKNOWN ? script : undefined;
}

const MAX_SOURCES = 300;

/** Everything that text went through, from the programs that print it back to where it began. */
export function sourcesOf(invocations: readonly Invocation[]): Invocation[] {
  const seen = new Set<Invocation>(invocations);
  for (const item of seen) {
    if (seen.size > MAX_SOURCES) break;
    if (item.stdin.type === "pipe") for (const producer of item.stdin.producers) seen.add(producer);
    for (const { from } of item.args) if (from) for (const producer of from) seen.add(producer);
    if (item.script) for (const producer of item.script.from) seen.add(producer);
  }
  return [...seen];
}

const FETCHERS = new Set(
  "curl wget wget2 fetch http https httpie xh curlie aria2c axel lynx w3m links elinks nc ncat netcat socat telnet ftp tftp lftp iwr irm invoke-webrequest invoke-restmethod get dig".split(
    " ",
  ),
);
export const isFetcher = (program: string) => FETCHERS.has(program);

/** The address a fetcher gets. */
export const addressOf = ({ program, args }: Invocation) =>
  args.find(({ text }) => /^\w+:\/\//.test(text))?.text ??
  args.find(({ text }) => !text.startsWith("-") && /\w\.\w/.test(text))?.text ??
  program;

/** Files that curl, wget and the like leave behind. */
export function downloadedFiles({ program, args }: Invocation): Arg[] {
  if (!isFetcher(program)) return [];
  const { values, given, operands } = readOptions(args, {
    valued: [
      "o",
      "output",
      "O",
      "output-document",
      "H",
      "header",
      "d",
      "data",
      "X",
      "request",
      "u",
      "user",
      "A",
      "P",
      "directory-prefix",
      "output-dir",
      "e",
      "x",
      "m",
    ].filter((name) => name !== "O" || program.startsWith("wget")),
  });
  const named =
    values.get("o") ??
    values.get("output") ??
    values.get("output-document") ??
    (program.startsWith("wget") ? values.get("O") : undefined);
  if (named) return named.text === "-" ? [] : [named];
  const byUrl = program.startsWith("wget") || given.has("O") || given.has("remote-name") || program === "aria2c";
  const url = operands.find(({ text }) => /\//.test(text));
  const base = url?.text
    .replace(/[?#].*$/, "")
    .split("/")
    .at(-1);
  const directory = values.get("P") ?? values.get("directory-prefix") ?? values.get("output-dir");
  return byUrl && base ? [arg(directory ? `${directory.text}/${base}` : base)] : [];
}
