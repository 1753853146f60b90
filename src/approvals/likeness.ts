/**
 * Whether a call is one that people refused, written differently. It leans towards yes: whoever is refused wrongly can ask
 * in other words, and a person decides; whoever slips through has gone around a person.
 */
import { isAbsolute, posix } from "node:path";
import { canonicalJson, isJsonObject, type Json } from "../core/json.ts";
import type { AskedCall } from "./approval.ts";

export type LikeCall = Pick<AskedCall, "tool" | "kind" | "input" | "cwd">;

/** Whether `later` does what `refused` would have done. */
export function isLike(later: LikeCall, refused: LikeCall): boolean {
  if (later.kind !== refused.kind) return false;
  if (later.kind === "shell") return runsLike(commandsOf(later), commandsOf(refused));
  if (later.tool !== refused.tool) return false;
  return contains(plainInput(later.input, later.cwd), plainInput(refused.input, refused.cwd));
}

/* ---- Tools with arguments ---- */

/** Said beside a call, not part of what it does. */
const REMARKS =
  /^(description|explanation|reason|comment|note|justification|purpose|title|timeout|timeout_ms|request_id|idempotency_key)$/i;

function plainInput(value: Json, cwd: string): Json {
  if (Array.isArray(value)) return value.map((item) => plainInput(item, cwd));
  if (isJsonObject(value))
    return Object.fromEntries(
      Object.entries(value)
        .filter(([key]) => !REMARKS.test(key))
        .map(([key, item]) => [key, plainInput(item, cwd)]),
    );
  if (typeof value !== "string") return value;
  const text = value.replace(/\s+/g, " ").trim();
  if (text !== "" && String(Number(text)) === text) return Number(text);
  return text.includes("/") && !text.includes(" ") && !text.includes("://") ? plainPath(text, cwd) : text;
}

/** All that was refused is there again; what is new beside it makes it no other call. */
function contains(later: Json, refused: Json): boolean {
  if (!isJsonObject(refused) || !isJsonObject(later)) return canonicalJson(later) === canonicalJson(refused);
  return Object.entries(refused).every(([key, value]) => {
    const found = later[key];
    return found !== undefined && contains(found, value);
  });
}

/* ---- Commands ---- */

interface Run {
  readonly program: string;
  /** What is no option, in order, each with the option before it. */
  readonly operands: readonly { readonly text: string; readonly after: string | undefined }[];
  readonly options: ReadonlySet<string>;
}

/** Every program that was to be started is started again, with the same words. */
function runsLike(later: readonly Run[], refused: readonly Run[]): boolean {
  const essential = refused.filter(({ program }) => !PREPARES.has(program));
  const wanted = essential.length > 0 ? essential : refused;
  return wanted.length > 0 && wanted.every((one) => later.some((run) => runLike(run, one)));
}

/** Where one goes and what one says on the way is no part of what was refused. */
const PREPARES = new Set(["cd", "pushd", "echo", "printf", "true", ":", "set", "export", "sleep", "date", "pwd", "ls"]);

/** With one of these a program only tells what it would do. */
const REHEARSALS = /^(--?dry-?run\b.*|--help|--what-?if|--check|--no-op|--version)$/i;

function runLike(later: Run, refused: Run): boolean {
  if (later.program !== refused.program) return false;
  const rehearses = (options: ReadonlySet<string>) => [...options].some((option) => REHEARSALS.test(option));
  if (rehearses(later.options) && !rehearses(refused.options)) return false;
  // A word right behind an option that only one of them has may be that option's value.
  const words = ({ operands }: Run, other: Run) =>
    operands.filter(({ after }) => after === undefined || other.options.has(after)).map(({ text }) => text);
  return canonicalJson(words(later, refused)) === canonicalJson(words(refused, later));
}

function commandsOf({ input, cwd }: LikeCall): Run[] {
  const named = Object.entries(input).filter(([key]) =>
    /^(command|cmd|script|code|commands?_?line|args|argv)$/i.test(key),
  );
  const texts = (named.length > 0 ? named : Object.entries(input)).flatMap(([, value]) => textsIn(value));
  return texts.flatMap((text) => runsIn(text, cwd, 0));
}

/** A list of words is one command. */
function textsIn(value: Json): string[] {
  if (typeof value === "string") return [value];
  if (Array.isArray(value) && value.every((word) => typeof word === "string"))
    return [value.map((word) => `'${String(word).replaceAll("'", `'\\''`)}'`).join(" ")];
  return [];
}

const MAX_DEPTH = 5;

function runsIn(text: string, cwd: string, depth: number): Run[] {
  let place = cwd;
  return simpleCommands(text).flatMap((words) => {
    const runs = unwrapped(words, place, depth);
    const [only] = runs;
    if (only?.program === "cd") place = posix.resolve(place, only.operands[0]?.text ?? ".");
    return runs.map((run) => ({
      ...run,
      operands: run.operands.map((word) => ({ ...word, text: plainPath(word.text, cwd) })),
    }));
  });
}

/** Programs that only start another one. */
const WRAPPERS = new Set([
  "sudo",
  "doas",
  "env",
  "command",
  "exec",
  "nohup",
  "nice",
  "ionice",
  "time",
  "timeout",
  "stdbuf",
  "setsid",
  "builtin",
  "unbuffer",
  "xargs",
  "npx",
  "eval",
]);
const SHELLS = /^(ba|da|z|k|a)?sh$/;
const ASSIGNMENT = /^[A-Za-z_]\w*=/;

function unwrapped(words: readonly string[], cwd: string, depth: number): Run[] {
  let rest: readonly string[] = withoutRedirects(words);
  for (;;) {
    const [first] = rest;
    if (first === undefined) return [];
    if (ASSIGNMENT.test(first)) {
      rest = rest.slice(1);
      continue;
    }
    const program = posix.basename(first);
    if (SHELLS.test(program) && depth < MAX_DEPTH) {
      const at = rest.findIndex((word, index) => index > 0 && /^-[a-z]*c$/.test(word));
      const inner = at > 0 ? rest[at + 1] : undefined;
      if (inner !== undefined) return runsIn(inner, cwd, depth + 1);
    }
    if (program === "eval" && depth < MAX_DEPTH) return runsIn(rest.slice(1).join(" "), cwd, depth + 1);
    if (!WRAPPERS.has(program)) return [runOf(program, rest.slice(1), cwd)];
    const next = afterWrapper(program, rest.slice(1));
    if (next.length === 0) return [runOf(program, rest.slice(1), cwd)];
    rest = next;
  }
}

/** `> file`, `2>&1`: where a command's output goes is no part of what it does to others. */
const withoutRedirects = (words: readonly string[]) =>
  words.filter((word, at) => !/^\d*[<>]/.test(word) && !/^\d*[<>]+&?$/.test(words[at - 1] ?? ""));

/** `-u root`, `-n 5`: options of wrappers that take a word. */
const WRAPPER_VALUES = /^-(u|g|n|c|p|s|k|S|I|L|P|-user|-group|-signal)$/;

function afterWrapper(program: string, words: readonly string[]): readonly string[] {
  let at = 0;
  while (at < words.length) {
    const word = words[at] ?? "";
    if (word.startsWith("-") && word !== "-") at += WRAPPER_VALUES.test(word) ? 2 : 1;
    else if (ASSIGNMENT.test(word) || (program === "timeout" && /^\d/.test(word))) at += 1;
    else break;
  }
  return words.slice(at);
}

function runOf(program: string, words: readonly string[], cwd: string): Run {
  const options = new Set<string>();
  const operands: { text: string; after: string | undefined }[] = [];
  let after: string | undefined;
  for (const word of words) {
    if (word === "--") continue;
    if (word.startsWith("-") && word !== "-") {
      const name = word.split("=")[0] ?? word;
      options.add(word.includes("=") ? name : word);
      after = word.includes("=") ? undefined : word;
      continue;
    }
    operands.push({ text: absolute(word, cwd), after });
    after = undefined;
  }
  return { program, operands, options };
}

/** What may be a path is one from here; what is none stays recognisable, because both sides are treated alike. */
const absolute = (word: string, cwd: string) =>
  /^\.{0,2}\//.test(word) || word === "." || word === ".." ? posix.resolve(cwd || "/", word) : word;

function plainPath(text: string, cwd: string): string {
  const path = isAbsolute(text) || /^\.{1,2}(\/|$)/.test(text) ? posix.resolve(cwd || "/", text) : text;
  return cwd !== "" && path.startsWith(`${cwd}/`) ? path.slice(cwd.length + 1) : path;
}

/** The words of every simple command of a line, quotes and backslashes taken away. */
function simpleCommands(line: string): string[][] {
  const commands: string[][] = [[]];
  let word: string | undefined;
  const end = () => {
    if (word !== undefined) commands.at(-1)?.push(word);
    word = undefined;
  };
  for (let at = 0; at < line.length; at++) {
    const character = line[at] as string;
    if (character === "'" || character === '"') {
      const close = closing(line, at, character);
      const inside = line.slice(at + 1, close);
      word = (word ?? "") + (character === '"' ? inside.replace(/\\(["\\$`])/g, "$1") : inside);
      at = close;
    } else if (character === "\\") {
      const next = line[++at];
      if (next !== undefined && next !== "\n") word = (word ?? "") + next;
    } else if (/\s/.test(character) && character !== "\n") end();
    else if (/[<>]/.test(character)) {
      if (word !== undefined && !/^\d*[<>]*$/.test(word)) end();
      word = (word ?? "") + character;
    } else if (/[;&|\n(){}`]/.test(character) && !(character === "&" && /[<>]$/.test(word ?? ""))) {
      end();
      commands.push([]);
    } else word = (word ?? "") + character;
  }
  end();
  return commands.filter((words) => words.length > 0);
}

function closing(line: string, open: number, quote: string): number {
  for (let at = open + 1; at < line.length; at++) {
    if (line[at] === "\\" && quote === '"') at += 1;
    else if (line[at] === quote) return at;
  }
  return line.length;
}
