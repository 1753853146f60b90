/**
 * The small part of YAML in which nodes are written: a key a line, texts, whole numbers, lists of texts. A base is read
 * whole at every change of it, and the parser of all of YAML takes ten times as long. Whatever is not surely of this part
 * is left to that parser, and a test holds both to the same answer.
 */
import type { Json } from "../../core/json.ts";

/** Undefined: the whole parser must say. */
export function readPlainYaml(yaml: string): Record<string, Json> | undefined {
  const data: Record<string, Json> = {};
  const lines = yaml.split("\n");
  if (lines.at(-1) === "") lines.pop();
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? "";
    const colon = line.indexOf(":");
    const key = line.slice(0, colon);
    if (colon < 1 || !KEY.test(key) || Object.hasOwn(data, key)) return undefined;
    const rest = line.slice(colon + 1);
    if (rest === "") {
      const items: Json[] = [];
      for (; lines[at + 1]?.startsWith("  - "); at++) {
        const item = scalar((lines[at + 1] ?? "").slice(4));
        if (typeof item !== "string") return undefined;
        items.push(item);
      }
      if (items.length === 0) return undefined;
      data[key] = items;
      continue;
    }
    if (!rest.startsWith(" ")) return undefined;
    const value = valueIn(rest.slice(1));
    if (value === undefined) return undefined;
    data[key] = value;
  }
  return data;
}

const KEY = /^[a-z][a-z_]*$/;
const RESERVED = /^(?:true|false|null|__proto__)$/i;
const NUMBER = /^(?:0|[1-9]\d{0,8})$/;
/** Begins with a letter, and holds nothing that could begin a comment, a mapping or another line. */
const PLAIN = /^\p{L}(?:[^\p{Cc}\p{Z}:#]|:(?! )(?!$)|(?<! )#| (?=[^ #]))*$/u;
const FLOW_ITEM = /^[\p{L}\p{N}_-]+$/u;

function valueIn(text: string): Json | undefined {
  if (text === "[]") return [];
  if (NUMBER.test(text)) return Number(text);
  if (text.startsWith("[") && text.endsWith("]")) {
    const items = text.slice(1, -1).split(", ");
    return items.every((item) => FLOW_ITEM.test(item) && scalar(item) !== undefined) ? items : undefined;
  }
  return scalar(text);
}

function scalar(text: string): string | undefined {
  if (text.startsWith('"')) return QUOTED.test(text) ? text.slice(1, -1) : undefined;
  return PLAIN.test(text) && !RESERVED.test(text) ? text : undefined;
}

/** Without escapes: those of YAML are not those of JSON. */
const QUOTED = /^"[^"\\\p{Cc}]*"$/u;
