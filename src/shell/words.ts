/** Words of a parsed command line -> arguments, expanded as the shell would where that can be known. */
import type { Word, WordPart } from "unbash";
import { type Arg, UNKNOWN } from "./arg.ts";
import type { Invocation } from "./invocation.ts";
import { operated } from "./parameter-operations.ts";

export interface Variables {
  get(name: string): string | undefined;
  set(name: string, value: string): void;
  /** The programs whose output a variable holds. */
  origin(name: string): readonly Invocation[] | undefined;
}

export interface Output {
  readonly text: string | undefined;
  readonly from: readonly Invocation[];
  /** The files that it names. */
  readonly names?: readonly Arg[] | undefined;
}

type OutputOf = (part: WordPart) => Output | undefined;

/** A word may become several arguments (braces, `$@`) or, unquoted and empty, none. */
export function expandWord(word: Word, variables: Variables, output: OutputOf): Arg[] {
  const parts = word.parts;
  if (!parts) return braces(word.value).map((text) => ({ text, glob: false }));
  const pieces = parts.map((part) => pieceOf(part, variables, output));
  const names = pieces.length === 1 ? pieces[0]?.names : undefined;
  if (names) return [...names];
  let text = "";
  let glob = false;
  let from: readonly Invocation[] | undefined;
  for (const piece of pieces) {
    text += piece.text;
    glob ||= piece.glob;
    if (piece.from) from = from ? [...from, ...piece.from] : piece.from;
  }
  if (text.length > MAX_TEXT) text = UNKNOWN;
  const hasBraces = parts.some(({ type }) => type === "BraceExpansion");
  const quoted = parts.some(({ type }) => /Quoted|LocaleString/.test(type));
  if (text === "" && !quoted && pieces.length > 0) return [];
  const unquotedExpansion = parts.some(({ type }) => EXPANSIONS.has(type));
  const splits = isList(parts) || (unquotedExpansion && !quoted);
  const between = splits ? separator(variables.get("IFS")) : undefined;
  const split = between?.test(text) ? text.split(between).filter(Boolean) : [text];
  return split
    .flatMap((piece) => (hasBraces ? braces(piece) : [piece]))
    .map((piece) => ({ text: piece, glob, ...(glob ? { expands: true as const } : {}), ...(from ? { from } : {}) }));
}

const MAX_TEXT = 50_000;

/** `"$@"` and `"${a[@]}"` are as many words as they hold. */
function isList(parts: readonly WordPart[]): boolean {
  const [part] = parts;
  const inner =
    parts.length === 1 && part?.type === "DoubleQuoted" && part.parts.length === 1 ? part.parts[0] : undefined;
  if (inner?.type === "SimpleExpansion") return inner.text === "$@";
  return inner?.type === "ParameterExpansion" && (inner.parameter === "@" || inner.index?.value === "@");
}

export const separator = (ifs: string | undefined) =>
  ifs && !ifs.includes(UNKNOWN) ? new RegExp(`[${ifs.slice(0, 8).replace(/[\]\\^-]/g, "\\$&")}]+`) : /\s+/;

const EXPANSIONS = new Set(["SimpleExpansion", "ParameterExpansion", "CommandExpansion"]);

interface Piece {
  readonly text: string;
  readonly glob: boolean;
  readonly from?: readonly Invocation[];
  readonly names?: readonly Arg[] | undefined;
}

const plain = (text: string, from?: readonly Invocation[]): Piece => ({ text, glob: false, ...(from ? { from } : {}) });

function pieceOf(part: WordPart, variables: Variables, output: OutputOf): Piece {
  switch (part.type) {
    case "Literal":
    case "SingleQuoted":
    case "AnsiCQuoted":
      return plain(part.value);
    case "Glob":
      return { text: part.text, glob: true };
    case "ExtendedGlob":
      output(part);
      return { text: part.text, glob: true };
    case "BraceExpansion":
      output(part);
      return plain(part.text);
    case "DoubleQuoted":
    case "LocaleString":
      return together(part.parts.map((inner) => pieceOf(inner, variables, output)));
    case "SimpleExpansion":
      return plain(knownValue(part.text.slice(1), variables) ?? UNKNOWN, variables.origin(part.text.slice(1)));
    case "ParameterExpansion":
      return plain(parameter(part, variables, output), variables.origin(part.parameter));
    case "CommandExpansion":
    case "ProcessSubstitution": {
      const printed = output(part);
      return { ...plain(printed?.text ?? UNKNOWN, printed?.from), names: printed?.names };
    }
    case "ArithmeticExpansion":
      output(part);
      return plain(UNKNOWN);
  }
}

function together(pieces: readonly Piece[]): Piece {
  const from = pieces.flatMap((piece) => piece.from ?? []);
  return plain(pieces.map(({ text }) => text).join(""), from.length > 0 ? from : undefined);
}

function parameter(
  part: Extract<WordPart, { type: "ParameterExpansion" }>,
  variables: Variables,
  output: OutputOf,
): string {
  const { operation, prefix } = part;
  if (prefix || part.index || (operation && operation.type !== "Default")) output(part);
  const textOf = (word: Word) =>
    expandWord(word, variables, output)
      .map(({ text }) => text)
      .join(" ");
  const name =
    part.index && !/^[@*]$/.test(part.index.value) ? elementOf(part.parameter, textOf(part.index)) : part.parameter;
  const named = knownValue(name, variables);
  if (prefix === "#" || operation?.type === "Names") return UNKNOWN;
  const value = prefix && named !== undefined ? knownValue(named, variables) : named;
  if (!operation) return value ?? UNKNOWN;
  if (operation.type !== "Default")
    return (value === undefined ? undefined : operated(value, operation, textOf)) ?? UNKNOWN;
  const operand = textOf(operation.operand);
  switch (operation.operator) {
    case ":=":
    case "=":
      if (!value) variables.set(part.parameter, operand);
      return value || operand;
    case ":-":
    case "-":
      return value || operand;
    case ":+":
    case "+":
      return value === undefined ? UNKNOWN : value ? operand : "";
    default:
      return value ?? UNKNOWN;
  }
}

/** The name under which one value of an array is kept. */
export const elementOf = (array: string, index: string) => `${array}[${index}]`;

/** IFS is set before anybody sets it. */
const knownValue = (name: string, variables: Variables) => variables.get(name) ?? (name === "IFS" ? " " : undefined);

const MAX_BRACES = 64;

/** `{a,b}` and `{1..3}`, as far as a command line of sane length goes. */
function braces(text: string): string[] {
  let words = [text];
  for (let round = 0; round < MAX_BRACES; round++) {
    let changed = false;
    const next: string[] = [];
    for (const word of words) {
      const choices = next.length < MAX_BRACES ? firstBraces(word) : undefined;
      if (choices) changed = true;
      next.push(...(choices ?? [word]));
    }
    words = next.slice(0, MAX_BRACES);
    if (!changed) break;
  }
  return words;
}

/** A word with its first innermost `{…}` written out. */
function firstBraces(text: string): string[] | undefined {
  const close = text.indexOf("}");
  const open = close < 0 ? -1 : text.lastIndexOf("{", close);
  if (open < 0) return undefined;
  const inner = text.slice(open + 1, close);
  const range = /^(\d{1,6}|[a-zA-Z])\.\.(\d{1,6}|[a-zA-Z])$/.exec(inner);
  const choices = inner.includes(",")
    ? inner.split(",").slice(0, MAX_BRACES)
    : range
      ? between(range[1] as string, range[2] as string)
      : undefined;
  return choices?.map((choice) => `${text.slice(0, open)}${choice}${text.slice(close + 1)}`);
}

function between(from: string, to: string): string[] {
  const isNumber = /^\d+$/.test(from) && /^\d+$/.test(to);
  const [low, high] = isNumber ? [Number(from), Number(to)] : [from.charCodeAt(0), to.charCodeAt(0)];
  const count = Math.min(Math.abs(high - low) + 1, MAX_BRACES);
  const step = high < low ? -1 : 1;
  return Array.from({ length: count }, (_, index) => {
    const at = low + index * step;
    return isNumber ? String(at) : String.fromCharCode(at);
  });
}
