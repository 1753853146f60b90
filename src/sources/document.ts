/** A config file as data, with the line of every key, whatever its format. */
import { readFileSync } from "node:fs";
import { getNodeValue, type Node, type ParseError, parseTree, printParseErrorCode } from "jsonc-parser";
import { parse as parseToml, TomlError } from "smol-toml";
import { isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument } from "yaml";
import { HoldfastError } from "../core/errors.ts";
import { isJsonObject, type Json, type JsonObject } from "../core/json.ts";

export interface ConfigDocument {
  readonly file: string;
  readonly text: string;
  readonly data: JsonObject;
  /** The line on which a key path begins, from 1. */
  lineOf(path: readonly (string | number)[]): number | undefined;
}

export function readDocument(file: string): ConfigDocument {
  return parseConfig(file, readText(file));
}

function readText(file: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(readFileSync(file));
  } catch (error) {
    throw new HoldfastError("HF101", `cannot read ${file}: ${(error as Error).message}`, { file });
  }
}

export function parseConfig(file: string, text: string): ConfigDocument {
  const { data = {}, lines } = parsedBy(file, text);
  if (!isJsonObject(data ?? {})) {
    throw new HoldfastError("HF102", "the file must hold keys and values", { file, line: 1 });
  }
  return { file, text, data: (data ?? {}) as JsonObject, lineOf: (path) => nearestLine(lines, path) };
}

/** A file that need not hold keys and values: a list, or nothing. */
export function readAnyDocument(file: string): { readonly data: Json } & Pick<ConfigDocument, "lineOf"> {
  const { data, lines } = parsedBy(file, readText(file));
  return { data: data ?? null, lineOf: (path) => nearestLine(lines, path) };
}

function parsedBy(file: string, text: string): Parsed {
  const format = file.slice(file.lastIndexOf(".") + 1);
  if (format === "toml") return fromToml(file, text);
  return format === "json" ? fromJson(file, text) : fromYaml(file, text);
}

interface Parsed {
  readonly data: Json | undefined;
  readonly lines: ReadonlyMap<string, number>;
}

const keyOf = (path: readonly (string | number)[]) => JSON.stringify(path);

/** A missing key has no line of its own: its nearest parent's is what a person looks for. */
function nearestLine(lines: ReadonlyMap<string, number>, path: readonly (string | number)[]): number | undefined {
  for (let length = path.length; length > 0; length--) {
    const line = lines.get(keyOf(path.slice(0, length)));
    if (line !== undefined) return line;
  }
  return undefined;
}

function fromYaml(file: string, text: string): Parsed {
  const counter = new LineCounter();
  const document = parseDocument(text, { lineCounter: counter, prettyErrors: false, uniqueKeys: true });
  const lineAt = (offset: number) => counter.linePos(offset).line;
  const error = document.errors[0];
  if (error) throw new HoldfastError("HF102", error.message, { file, line: lineAt(error.pos[0]) });
  const lines = new Map<string, number>();
  const visit = (node: unknown, path: (string | number)[]): void => {
    if (isAlias(node)) return;
    if (isSeq(node)) {
      node.items.forEach((item, index) => {
        const range = (item as { range?: [number, number, number] } | null)?.range;
        if (range) lines.set(keyOf([...path, index]), lineAt(range[0]));
        visit(item, [...path, index]);
      });
    }
    if (!isMap(node)) return;
    for (const pair of node.items) {
      if (!isScalar(pair.key)) continue;
      const inner = [...path, String(pair.key.value)];
      if (pair.key.range) lines.set(keyOf(inner), lineAt(pair.key.range[0]));
      visit(pair.value, inner);
    }
  };
  visit(document.contents, []);
  return { data: document.toJS({ maxAliasCount: 100 }) as Json, lines };
}

function fromJson(file: string, text: string): Parsed {
  const lineAt = (offset: number) => text.slice(0, offset).split("\n").length;
  const errors: ParseError[] = [];
  const tree = parseTree(text, errors, { disallowComments: true });
  const error = errors[0];
  if (error || !tree) {
    const message = error ? printParseErrorCode(error.error) : "the file is empty";
    throw new HoldfastError("HF102", `not valid JSON: ${message}`, { file, line: lineAt(error?.offset ?? 0) });
  }
  const lines = new Map<string, number>();
  const visit = (node: Node, path: (string | number)[]): void => {
    if (node.type === "array") {
      node.children?.forEach((child, index) => {
        lines.set(keyOf([...path, index]), lineAt(child.offset));
        visit(child, [...path, index]);
      });
    }
    if (node.type !== "object") return;
    for (const { children } of node.children ?? []) {
      const [key, value] = children ?? [];
      if (!key || !value) continue;
      const inner = [...path, String(key.value)];
      if (lines.has(keyOf(inner))) {
        throw new HoldfastError("HF102", `the key "${key.value}" stands twice`, { file, line: lineAt(key.offset) });
      }
      lines.set(keyOf(inner), lineAt(key.offset));
      visit(value, inner);
    }
  };
  visit(tree, []);
  return { data: getNodeValue(tree) as Json, lines };
}

function fromToml(file: string, text: string): Parsed {
  try {
    // Through JSON: dates become strings and the parser's own objects become plain ones.
    return { data: JSON.parse(JSON.stringify(parseToml(text))) as Json, lines: tomlLines(text) };
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const message = error.message.split("\n")[0] ?? "not valid TOML";
    throw new HoldfastError("HF102", message, { file, line: error.line });
  }
}

/** smol-toml gives no positions: headers and key lines are found by their own syntax. */
function tomlLines(text: string): ReadonlyMap<string, number> {
  const lines = new Map<string, number>();
  const counts = new Map<string, number>();
  let table: (string | number)[] = [];
  text.split("\n").forEach((line, index) => {
    const header = /^\s*(\[\[?)\s*([^\]]+?)\s*\]\]?/.exec(line);
    if (header) {
      table = tablePath(splitKey(header[2] as string), header[1] === "[[", counts);
      for (let length = 1; length <= table.length; length++) {
        const key = keyOf(table.slice(0, length));
        if (!lines.has(key)) lines.set(key, index + 1);
      }
      return;
    }
    const pair = /^\s*((?:[\w-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[\w-]+|"[^"]*"|'[^']*'))*)\s*=/.exec(line);
    if (pair) lines.set(keyOf([...table, ...splitKey(pair[1] as string)]), index + 1);
  });
  return lines;
}

const splitKey = (key: string) =>
  [...key.matchAll(/[\w-]+|"[^"]*"|'[^']*'/g)].map(([part]) => part.replace(/^["']|["']$/g, ""));

/** `[[a.b]]` opens the next element of a list; a header below it means that element. */
function tablePath(parts: readonly string[], opensElement: boolean, counts: Map<string, number>): (string | number)[] {
  const path: (string | number)[] = [];
  parts.forEach((part, index) => {
    path.push(part);
    const key = keyOf(path);
    const last = index === parts.length - 1;
    if (last && opensElement) counts.set(key, (counts.get(key) ?? 0) + 1);
    const count = counts.get(key);
    if (count !== undefined) path.push(count - 1);
  });
  return path;
}
