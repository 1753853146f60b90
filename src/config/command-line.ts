/** What a hook's command line runs: its scripts found from the config file's directory, so that it works from any cwd. */
import { accessSync, constants, statSync } from "node:fs";
import { basename, delimiter, extname, isAbsolute, join, resolve } from "node:path";
import { type Command, forEachChild, parse, type SyntaxNode, type Word } from "unbash";
import type { Environment } from "./places.ts";

export interface CommandLine {
  /** The command with its relative scripts made absolute. */
  readonly command: string;
  /** The files it names. */
  readonly files: readonly string[];
  /** A program or script that is not there. */
  readonly missing?: string;
}

export function resolveCommandLine(command: string, dir: string, env: Environment): CommandLine {
  const words: { word: Word; file: string }[] = [];
  const functions = new Set<string>();
  let missing: string | undefined;
  const visit = (node: SyntaxNode): void => {
    if (node.type === "Function" && node.name) functions.add(node.name.value);
    if (node.type === "Command") {
      const found = inspect(node, dir, env, functions);
      words.push(...found.words);
      missing ??= found.missing;
    }
    forEachChild(node, visit);
  };
  visit(parse(command));
  return { command: splice(command, words), files: words.map(({ file }) => file), ...(missing ? { missing } : {}) };
}

function inspect(node: Command, dir: string, env: Environment, functions: ReadonlySet<string>) {
  const words: { word: Word; file: string }[] = [];
  let missing: string | undefined;
  const name = node.name;
  if (!name || !isStatic(name)) return { words, missing };
  const program = name.value;
  if (program.includes("/")) {
    const file = resolve(dir, program);
    if (isFile(file)) words.push({ word: name, file });
    else missing = program;
  } else if (!BUILTINS.has(program) && !functions.has(program) && !onPath(program, env)) missing = program;

  const args = node.args.filter((arg): arg is Word => arg.type === "Word");
  const script = INTERPRETERS.has(basename(program)) ? args.find((arg) => !arg.value.startsWith("-")) : undefined;
  const runsText = args.some((arg) => /^-[a-z]*[ce]$/.test(arg.value));
  for (const arg of args) {
    if (!isStatic(arg) || arg.value.startsWith("-") || arg.value.includes("://")) continue;
    const file = resolve(dir, arg.value);
    const isScript = arg === script && !runsText;
    if ((arg.value.includes("/") || isScript) && isFile(file)) words.push({ word: arg, file });
    else if (isScript && (arg.value.includes("/") || extname(arg.value) !== "")) missing ??= arg.value;
  }
  return { words, missing };
}

const INTERPRETERS = new Set("sh bash dash zsh ksh node bun deno tsx python python3 ruby perl php".split(" "));
const BUILTINS = new Set(
  ". : [ alias bg break builtin case cd command continue do done echo esac eval exec exit export false fg fi for getopts hash if in jobs kill local printf pwd read readonly return set shift source test then time times trap true type ulimit umask unalias unset until wait while".split(
    " ",
  ),
);

const isStatic = (word: Word) =>
  !(word.parts ?? []).some(
    (part) => !["Literal", "SingleQuoted", "AnsiCQuoted"].includes(part.type) && !isPlainDoubleQuoted(part),
  );

const isPlainDoubleQuoted = (part: NonNullable<Word["parts"]>[number]) =>
  part.type === "DoubleQuoted" && part.parts.every((inner) => inner.type === "Literal");

const isFile = (path: string) => statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;

function onPath(program: string, env: Environment): boolean {
  return (env.PATH ?? "").split(delimiter).some((dir) => {
    try {
      accessSync(join(dir || ".", program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

function splice(command: string, words: readonly { word: Word; file: string }[]): string {
  let result = command;
  for (const { word, file } of [...words].sort((a, b) => b.word.pos - a.word.pos)) {
    if (isAbsolute(word.value)) continue;
    result = `${result.slice(0, word.pos)}${quote(file)}${result.slice(word.end)}`;
  }
  return result;
}

export const quote = (text: string) => (/^[\w./:@%+=-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);
