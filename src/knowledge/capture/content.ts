/** The shapes in which hosts keep what was said. */
import { isJsonObject, type Json, type JsonObject } from "../../core/json.ts";
import type { Read } from "./transcript.ts";

/** A text, or the texts of blocks of these types. */
export function textOf(
  content: Json | undefined,
  isText: (type: string) => boolean = (type) => type === "text",
): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content
    .flatMap((block) => {
      if (!isJsonObject(block) || typeof block.text !== "string") return [];
      return block.type === undefined || (typeof block.type === "string" && isText(block.type)) ? [block.text] : [];
    })
    .join("\n");
}

export const timeOf = (value: Json | undefined): { at?: number } => {
  const at = typeof value === "number" ? value : typeof value === "string" ? Date.parse(value) : Number.NaN;
  return Number.isFinite(at) ? { at } : {};
};

export const keyOf = (value: Json | undefined): { key?: string } =>
  typeof value === "string" && value !== "" ? { key: value } : {};

const READING = /^(?:read|read_?file|view|open_?file)$/i;
const PATHS = ["path", "file_path", "filePath", "absolute_path", "filename"];
const COMMANDS = ["command", "cmd"];
const BETWEEN_WORDS = /[\s'"`;|&<>()]+/;

/** The Markdown files a tool call read: the one it names, or those its command names. */
export function readsOf(tool: Json | undefined, input: Json | undefined, id: Json | undefined): Read[] {
  if (typeof tool !== "string") return [];
  const args = argumentsOf(input);
  const command = COMMANDS.map((name) => args[name]).find((value) => value !== undefined);
  const line = Array.isArray(command) ? command.join(" ") : typeof command === "string" ? command : "";
  const named = READING.test(tool) ? PATHS.map((name) => args[name]).filter((path) => typeof path === "string") : [];
  const paths = [...named.filter((path) => path.endsWith(".md")), ...line.split(BETWEEN_WORDS).flatMap(markdownIn)];
  return paths.map((path, index) => ({
    type: "read" as const,
    path,
    ...(typeof id === "string" && id !== "" ? { key: `${id}:${index}` } : {}),
  }));
}

/** Of a word of a command, up to where the name of a Markdown file ends. A word may be a whole file in base64. */
function markdownIn(word: string): string[] {
  for (let at = word.lastIndexOf(".md"); at > 0; at = word.lastIndexOf(".md", at - 1))
    if (!/\w/.test(word.charAt(at + 3))) return [word.slice(0, at + 3)];
  return [];
}

/** Some hosts keep them as a text of JSON. */
function argumentsOf(input: Json | undefined): JsonObject {
  if (isJsonObject(input)) return input;
  if (typeof input !== "string") return {};
  try {
    const value: unknown = JSON.parse(input);
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
}
