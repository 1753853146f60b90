/** What Codex's transcript says of a call that its hook payload does not: whether the command failed. */
import { isJsonObject, type JsonObject } from "../../core/json.ts";

/**
 * Whether a command failed, from the last lines of the transcript. Codex writes the line before it calls the hook after
 * the call. `undefined`: it does not say (no such line, or a session without transcript), which is no success.
 */
export function failedInTranscript(tail: string, toolUseId: string): boolean | undefined {
  const lines = tail.split("\n").reverse();
  for (const line of lines) {
    if (!line.includes(toolUseId) || !line.includes("CommandExecution")) continue;
    const item = itemOf(line);
    if (item?.type !== "CommandExecution" || item.id !== toolUseId) continue;
    if (typeof item.exit_code === "number") return item.exit_code !== 0;
    return item.status === "completed" ? false : item.status === "failed" ? true : undefined;
  }
  return undefined;
}

/** The first line of a tail may be cut off. */
function itemOf(line: string): JsonObject | undefined {
  try {
    const { payload } = JSON.parse(line) as { payload?: unknown };
    return isJsonObject(payload) && payload.type === "item_completed" && isJsonObject(payload.item)
      ? payload.item
      : undefined;
  } catch {
    return undefined;
  }
}
