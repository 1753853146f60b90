/** `hooks.json` as Cursor takes it: one thing it does not like, and it drops the whole file without a word. */
import { isJsonObject, type JsonObject } from "../../core/json.ts";
import { PASSED, support } from "./support.ts";

/** The MCP tools are left to beforeMCPExecution, which says whose they are. */
export const NOT_MCP = "^(?!MCP:)";

const KNOWN: readonly string[] = [...Object.values(support).flatMap(({ native }) => native), ...PASSED];

/** Why Cursor would not heed the file, as its documentation and others' reading of the program have it. */
export function droppedBecause(text: string): string | undefined {
  // It strips comments without regard to texts, so that a URL in a command leaves half a file.
  if (text.includes("//")) return `holds "//", which Cursor takes for a comment even inside a text`;
  let file: unknown;
  try {
    file = JSON.parse(text);
  } catch (error) {
    return `is not valid JSON: ${(error as Error).message}`;
  }
  if (!isJsonObject(file)) return "does not hold a JSON object";
  return unfit(file) ?? unknownEvent(file);
}

export function unfit({ version }: JsonObject): string | undefined {
  if (typeof version === "number" && Number.isInteger(version) && version > 0) return undefined;
  return `has no "version", and Cursor drops such a file without a word: add "version": 1`;
}

function unknownEvent({ hooks }: JsonObject): string | undefined {
  const unknown = Object.keys(isJsonObject(hooks) ? hooks : {}).find((event) => !KNOWN.includes(event));
  return unknown && `has hooks for "${unknown}", an event that Cursor is not known to have`;
}

/** Whether Cursor calls us for every tool because of this file: in doubt not, and then another registration answers. */
export function registers(text: string): boolean {
  if (droppedBecause(text) !== undefined) return false;
  const { hooks } = JSON.parse(text) as JsonObject;
  return isJsonObject(hooks) && Object.entries(GUARDED).every(([event, matchers]) => calls(hooks, event, matchers));
}

const ALL = [undefined, "", "*", ".*"];
const GUARDED: Readonly<Record<string, readonly unknown[]>> = {
  preToolUse: [...ALL, NOT_MCP],
  beforeMCPExecution: ALL,
};

function calls(hooks: JsonObject, event: string, matchers: readonly unknown[]): boolean {
  const entries = hooks[event];
  return (Array.isArray(entries) ? entries : []).some(
    (entry) =>
      isJsonObject(entry) &&
      typeof entry.command === "string" &&
      / hook --host cursor$/.test(entry.command) &&
      matchers.includes(entry.matcher),
  );
}
