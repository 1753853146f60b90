/**
 * JSON as an answer has to be written: one value and nothing around it, no key twice, no deeper than anybody writes by
 * hand. JSON.parse hides the second of two equal keys, and where it finds an error depends on the version of Node.
 */
import type { Json } from "../core/json.ts";

/** Deeper values overflow the stack of whoever walks them later. */
export const MAX_DEPTH = 128;

export class JsonProblem extends Error {
  /** Where in the text, from 0. */
  readonly position: number;

  constructor(message: string, position: number) {
    super(message);
    this.position = position;
  }
}

export function parseStrictJson(source: string): Json {
  const reader: Reader = { source, position: 0 };
  const value = readValue(reader, 0);
  skipSpace(reader);
  if (reader.position < source.length)
    throw new JsonProblem("text after the end of the JSON (logs belong on stderr)", reader.position);
  return value;
}

interface Reader {
  readonly source: string;
  position: number;
}

function readValue(reader: Reader, depth: number): Json {
  skipSpace(reader);
  const start = reader.source[reader.position];
  if (depth > MAX_DEPTH) throw new JsonProblem(`nested deeper than ${MAX_DEPTH} levels`, reader.position);
  if (start === "{") return readObject(reader, depth);
  if (start === "[") return readList(reader, depth);
  if (start === '"') return readString(reader);
  return readWord(reader);
}

function readObject(reader: Reader, depth: number): Json {
  const entries = new Map<string, Json>();
  reader.position++;
  if (take(reader, "}")) return {};
  do {
    skipSpace(reader);
    const at = reader.position;
    if (reader.source[at] !== '"') throw unexpected(reader, "a key in double quotes");
    const key = readString(reader);
    if (entries.has(key)) throw new JsonProblem(`the key ${JSON.stringify(key)} stands there twice`, at);
    if (!take(reader, ":")) throw unexpected(reader, 'a ":"');
    entries.set(key, readValue(reader, depth + 1));
  } while (take(reader, ","));
  if (!take(reader, "}")) throw unexpected(reader, 'a "," or "}"');
  return Object.fromEntries(entries);
}

function readList(reader: Reader, depth: number): Json {
  const items: Json[] = [];
  reader.position++;
  if (take(reader, "]")) return items;
  do items.push(readValue(reader, depth + 1));
  while (take(reader, ","));
  if (!take(reader, "]")) throw unexpected(reader, 'a "," or "]"');
  return items;
}

function readString(reader: Reader): string {
  const { source, position: start } = reader;
  let end = start + 1;
  while (end < source.length && source[end] !== '"') end += source[end] === "\\" ? 2 : 1;
  if (end >= source.length) throw new JsonProblem("a text in quotes that does not end", start);
  reader.position = end + 1;
  try {
    return JSON.parse(source.slice(start, end + 1));
  } catch {
    throw new JsonProblem("a text with a bad escape or a line break in it", start);
  }
}

const WORDS: ReadonlyMap<string, Json> = new Map<string, Json>([
  ["true", true],
  ["false", false],
  ["null", null],
]);
const WORD = /[^\s{}[\]:,"]+/y;
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

function readWord(reader: Reader): Json {
  WORD.lastIndex = reader.position;
  const word = WORD.exec(reader.source)?.[0] ?? "";
  const known = WORDS.get(word);
  if (known === undefined && !NUMBER.test(word)) throw unexpected(reader, "a JSON value");
  if (known === undefined && !Number.isFinite(Number(word))) {
    throw new JsonProblem("a number too large to be kept", reader.position);
  }
  reader.position += word.length;
  return known === undefined ? Number(word) : known;
}

function take(reader: Reader, mark: string): boolean {
  skipSpace(reader);
  if (reader.source[reader.position] !== mark) return false;
  reader.position++;
  return true;
}

function skipSpace(reader: Reader): void {
  while (" \t\n\r".includes(reader.source[reader.position] ?? "x")) reader.position++;
}

function unexpected({ source, position }: Reader, expected: string): JsonProblem {
  const found = source.codePointAt(position);
  const what = found === undefined ? "the end" : JSON.stringify(String.fromCodePoint(found));
  return new JsonProblem(`expected ${expected}, found ${what}`, position);
}
