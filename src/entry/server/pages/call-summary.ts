/** A call in a sentence and in a few lines: what stands on a card and in a list. */
import type { AskedCall } from "../../../approvals/approval.ts";
import { isJsonObject, type Json } from "../../../core/json.ts";

/** `run a command`, `change src/login.ts`: goes after "wants to". */
export function deedOf({ kind, tool, input }: AskedCall): string {
  const path = firstText(input, PATH_KEYS);
  switch (kind) {
    case "shell":
      return "run a command";
    case "write":
      return path === undefined ? `write with ${tool}` : `write ${shortened(path, 80)}`;
    case "edit":
      return path === undefined ? `change files with ${tool}` : `change ${shortened(path, 80)}`;
    case "read":
    case "search":
      return path === undefined ? `use ${tool}` : `read ${shortened(path, 80)}`;
    case "fetch":
      return "fetch from the network";
    case "delegate":
      return "start a sub-agent";
    default:
      return `use ${toolName(tool)}`;
  }
}

/** `mcp__billing__refund` is refund of billing, on hosts that name it so. */
function toolName(tool: string): string {
  const [, server, method] = /^mcp__(.+?)__(.+)$/.exec(tool) ?? [];
  return server && method ? `${server}/${method}` : tool;
}

export const whoAsks = ({ agent }: AskedCall): string => agent ?? "An agent";

/** The command, the path, or the arguments as one line. */
export function gist({ kind, input }: AskedCall): string {
  const command = kind === "shell" ? commandOf(input) : undefined;
  return command ?? firstText(input, [...PATH_KEYS, "url"]) ?? argumentsInLine(input);
}

const argumentsInLine = (input: AskedCall["input"]) =>
  Object.entries(input)
    .map(([name, value]) => `${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join(", ");

export const PATH_KEYS = ["file_path", "filePath", "path", "absolute_path", "notebook_path", "target_file"] as const;

/** A command may be a text or the words of one. */
export function commandOf(input: AskedCall["input"]): string | undefined {
  for (const key of ["command", "cmd", "script"]) {
    const value = input[key];
    if (typeof value === "string") return value;
    if (isTexts(value)) return value.join(" ");
  }
  return undefined;
}

const isTexts = (value: Json | undefined): value is readonly string[] =>
  Array.isArray(value) && value.every((part) => typeof part === "string");

export function firstText(value: Json, keys: readonly string[]): string | undefined {
  if (!isJsonObject(value)) return undefined;
  for (const key of keys) {
    const text = value[key];
    if (typeof text === "string") return text;
  }
  return undefined;
}

/** Says that it is cut. */
export function shortened(text: string, maxCharacters: number): string {
  return text.length <= maxCharacters ? text : `${text.slice(0, maxCharacters - 1)}…`;
}
