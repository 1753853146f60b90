/**
 * Editing JSON that a person keeps by hand: only the bytes of what is added or taken out change, and taking out what was
 * added gives the very bytes from before. To tell them apart later, a container that we created begins with white space,
 * and what is put into a container that was there, empty, stands flush with its bracket. Comments stay where they are.
 */
import { createScanner, findNodeAtLocation, type JSONPath, type Node, parseTree } from "jsonc-parser";
import { isJsonObject, type Json } from "../core/json.ts";

/** The text with a value at the end of the list, or a field at the end of the object, that stands at `path`. */
export function appendTo(text: string, path: JSONPath, value: Json, key?: string): string {
  const container = nodeAt(text, path);
  const style = styleOf(text);
  const field = key === undefined ? "" : `${JSON.stringify(key)}: `;
  const last = container.children?.at(-1);
  if (!last) {
    const indent = indentOfLine(text, container.offset) + (key === undefined ? "" : style.unit);
    return splice(text, container.offset + 1, 0, field + printed(value, indent, style));
  }
  const gap = text.slice(blankBefore(text, last.offset), last.offset);
  const inline = !gap.includes("\n") && (container.type === "array" || !style.multiline);
  const indent = gap.includes("\n")
    ? gap.slice(gap.lastIndexOf("\n") + 1)
    : indentOfLine(text, container.offset) + (inline ? "" : style.unit);
  const separator = inline ? `,${gap || " "}` : `,${style.eol}${indent}`;
  return splice(text, endOf(last), 0, separator + field + printed(value, indent, style));
}

export function replaceAt(text: string, path: JSONPath, value: Json): string {
  const node = nodeAt(text, path);
  return splice(text, node.offset, node.length, printed(value, indentOfLine(text, node.offset), styleOf(text)));
}

/** The text without what stands at `path`, and without containers of ours that become empty; undefined: nothing is left. */
export function removeAt(text: string, path: JSONPath): string | undefined {
  const node = nodeAt(text, path);
  const child = node.parent?.type === "property" ? node.parent : node;
  const container = child.parent;
  if (!container?.children) return undefined;
  const index = container.children.indexOf(child);
  const before = container.children[index - 1];
  const after = container.children[index + 1];
  if (before) return cutAfter(text, endOf(before), child);
  if (after) return cutBefore(text, child);
  const ours = child.offset > container.offset + 1;
  return ours ? removeAt(text, path.slice(0, -1)) : cut(text, child.offset, endOf(child));
}

export function nodeAt(text: string, path: JSONPath): Node {
  const root = parseTree(text);
  const node = root && findNodeAtLocation(root, path);
  if (!node) throw new Error(`there is nothing at ${path.join(".")}`);
  return node;
}

/** With the comma before it; what a person wrote between the two stays. */
function cutAfter(text: string, end: number, child: Node): string {
  const comma = commaAfter(text, end);
  if (isAllBlank(text.slice(end, comma) + text.slice(comma + 1, child.offset))) return cut(text, end, endOf(child));
  return cut(cut(text, child.offset, endOf(child)), comma, comma + 1);
}

/** With the comma after it. */
function cutBefore(text: string, child: Node): string {
  const comma = commaAfter(text, endOf(child));
  let next = comma + 1;
  while (isBlank(text[next])) next += 1;
  return text.slice(0, child.offset) + text.slice(endOf(child), comma).trimStart() + text.slice(next);
}

/** Commas inside comments are none. */
function commaAfter(text: string, offset: number): number {
  const scanner = createScanner(text, true);
  scanner.setPosition(offset);
  scanner.scan();
  return scanner.getTokenOffset();
}

const endOf = (node: Node) => node.offset + node.length;
const cut = (text: string, from: number, to: number) => splice(text, from, to - from, "");
const splice = (text: string, offset: number, length: number, insert: string) =>
  text.slice(0, offset) + insert + text.slice(offset + length);

interface Style {
  readonly eol: string;
  readonly unit: string;
  readonly multiline: boolean;
}

function styleOf(text: string): Style {
  const [, unit = "  "] = /\n([ \t]+)\S/.exec(text) ?? [];
  return { eol: text.includes("\r\n") ? "\r\n" : "\n", unit, multiline: /\n|^\{\s*\}$/.test(text.trim()) };
}

function printed(value: Json, indent: string, { eol, unit, multiline }: Style): string {
  if (!multiline) return onOneLine(value);
  return JSON.stringify(value, null, unit).replaceAll("\n", eol + indent);
}

function onOneLine(value: Json): string {
  if (Array.isArray(value)) return `[ ${value.map(onOneLine).join(", ")} ]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  return `{ ${Object.entries(value)
    .map(([key, item]) => `${JSON.stringify(key)}: ${onOneLine(item)}`)
    .join(", ")} }`;
}

const isBlank = (character: string | undefined) => character !== undefined && " \t\r\n".includes(character);

const isAllBlank = (text: string) => [...text].every(isBlank);

/** Where the white space before an offset begins. */
function blankBefore(text: string, offset: number): number {
  let start = offset;
  while (isBlank(text[start - 1])) start -= 1;
  return start;
}

function indentOfLine(text: string, offset: number): string {
  const line = text.slice(text.lastIndexOf("\n", offset - 1) + 1, offset);
  return /^[ \t]*/.exec(line)?.[0] ?? "";
}
