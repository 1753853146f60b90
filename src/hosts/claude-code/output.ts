/**
 * Putting another output in the place of a tool's own. Claude Code checks the replacement against the tool's schema and
 * ignores one that does not fit without a word, so nothing is sent unless it is known to fit.
 */
import { isJsonObject, type Json, type JsonObject } from "../../core/json.ts";
import type { ToolCall } from "../../core/tool.ts";

/** The response with its output replaced, every other field kept; undefined: there is no form that is sure to fit. */
export function replaceOutput(tool: ToolCall, response: Json, replacement: Json): Json | undefined {
  const asText = (text: string) =>
    tool.kind === "mcp" ? [{ type: "text", text }] : TEXT_SLOTS[tool.name]?.(response, text);
  if (typeof replacement === "string") return asText(replacement);
  if (tool.kind === "mcp" && isContentList(replacement)) return replacement;
  return (isJsonObject(response) ? merged(response, replacement) : undefined) ?? asText(JSON.stringify(replacement));
}

const TEXT_SLOTS: Readonly<Record<string, (response: Json, text: string) => Json | undefined>> = {
  Bash(response, text) {
    if (!isJsonObject(response) || typeof response.stdout !== "string") return undefined;
    return { ...response, stdout: text, stderr: "", ...("isImage" in response ? { isImage: false } : {}) };
  },
  Read(response, text) {
    if (!isJsonObject(response) || response.type !== "text" || !isJsonObject(response.file)) return undefined;
    return typeof response.file.content === "string"
      ? { ...response, file: { ...response.file, content: text } }
      : undefined;
  },
};

const isContentList = (value: Json) =>
  Array.isArray(value) && value.every((item) => isJsonObject(item) && typeof item.type === "string");

/** The response with the given fields changed; undefined where one is not there or is of another type. */
function merged(response: JsonObject, changes: Json): JsonObject | undefined {
  if (!isJsonObject(changes)) return undefined;
  const result: Record<string, Json> = { ...response };
  for (const [key, value] of Object.entries(changes)) {
    const before = Object.hasOwn(response, key) ? response[key] : undefined;
    const after = isJsonObject(before) ? merged(before, value) : value;
    if (before === undefined || after === undefined || typeOf(before) !== typeOf(after)) return undefined;
    result[key] = after;
  }
  return result;
}

const typeOf = (value: Json) => (value === null ? "null" : Array.isArray(value) ? "list" : typeof value);
