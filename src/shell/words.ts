/** Words of a parsed command line -> arguments, expanded as the shell would where that can be known. */
import type { Word, WordPart } from "unbash";
import { type Arg, UNKNOWN } from "./arg.ts";
import type { Invocation } from "./invocation.ts";

export interface Variables {
  get(name: string): string | undefined;
  /** The programs whose output a variable holds. */
  origin(name: string): readonly Invocation[] | undefined;
}

export interface Output {
  readonly text: string | undefined;
  readonly from: readonly Invocation[];
}

type OutputOf = (part: WordPart) => Output | undefined;

/** A word may become several arguments (braces, `$@`) or, unquoted and empty, none. */
export function expandWord(word: Word, variables: Variables, output: OutputOf): Arg[] {
  const parts = word.parts;
  if (!parts) return braces(word.value).map((text) => ({ text, glob: false }));
  const pieces = parts.map((part) => pieceOf(part, variables, output));
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
  const split = unquotedExpansion && !quoted && /\s/.test(text) ? text.split(/\s+/).filter(Boolean) : [text];
  return split.flatMap((piece) => (hasBraces ? braces(piece) : [piece])).map((piece) => ({ text: piece, glob, ...(from ? { from } : {}) }));
}

const MAX_TEXT = 1_000_000;

const EXPANSIONS = new Set(["SimpleExpansion", "ParameterExpansion", "CommandExpansion"]);

interface Piece {
  readonly text: string;
  readonly glob: boolean;
  readonly from?: readonly Invocation[];
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
      return { text: part.text, glob: true };
    case "BraceExpansion":
      return plain(part.text);
    case "DoubleQuoted":
    case "LocaleString":
      return together(part.parts.map((inner) => pieceOf(inner, variables, output)));
    case "SimpleExpansion":
      return plain(variables.get(part.text.slice(1)) ?? UNKNOWN, variables.origin(part.text.slice(1)));
    case "ParameterExpansion":
      return plain(parameter(part, variables, output), variables.origin(part.parameter));
    case "CommandExpansion":
    case "ProcessSubstitution": {
      const printed = output(part);
      return plain(printed?.text ?? UNKNOWN, printed?.from);
    }
    case "ArithmeticExpansion":
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
  if (part.prefix || part.index) return UNKNOWN;
  const value = variables.get(part.parameter);
  const { operation } = part;
  if (!operation) return value ?? UNKNOWN;
  if (operation.type !== "Default") return UNKNOWN;
  const operand = expandWord(operation.operand, variables, output)
    .map(({ text }) => text)
    .join(" ");
  switch (operation.operator) {
    case ":-":
    case "-":
    case ":=":
    case "=":
      return value || operand;
    case ":+":
    case "+":
      return value === undefined ? UNKNOWN : value ? operand : "";
    default:
      return value ?? UNKNOWN;
  }
}

const MAX_BRACES = 64;

/** `{a,b}` and `{1..3}`, as far as a command line of sane length goes. */
function braces(text: string): string[] {
  const open = /\{([^{}]*,[^{}]*)\}/.exec(text);
  if (!open) return [text];
  const [whole, inner] = open as unknown as [string, string];
  const before = text.slice(0, open.index);
  const after = text.slice(open.index + whole.length);
  return inner
    .split(",")
    .flatMap((choice) => braces(`${before}${choice}${after}`))
    .slice(0, MAX_BRACES);
}
