/** Copilot CLI: the events of a session, one per line; what is said may come in pieces. */
import { join } from "node:path";
import { isJsonObject, type JsonObject } from "../../../core/json.ts";
import { readsOf, timeOf } from "../content.ts";
import { jsonLines } from "../json-lines.ts";
import type { TranscriptFormat, TranscriptItem } from "../transcript.ts";

export const copilot: TranscriptFormat = {
  // It names its transcript at the end of a turn, not at the end of a session.
  locate: async ({ session, homeDir, env }) =>
    join(env.COPILOT_HOME || join(homeDir, ".copilot"), "session-state", session, "events.jsonl"),
  items: (path, _session, faults) => jsonLines(path, itemsOf, faults),
};

const SPEAKERS: Readonly<Record<string, "user" | "agent">> = { "user.message": "user", "assistant.message": "agent" };

function itemsOf({ type, data, timestamp, parentId, agentId }: JsonObject): readonly TranscriptItem[] {
  if (typeof type !== "string" || !isJsonObject(data)) return [];
  if (type === "tool.execution_start") return readsOf(data.toolName, data.arguments, data.toolCallId);
  const speaker = Object.hasOwn(SPEAKERS, type) ? SPEAKERS[type] : undefined;
  // What a sub-agent says is its own.
  if (!speaker || typeof data.parentToolCallId === "string" || typeof (agentId ?? data.agentId) === "string") return [];
  if (typeof data.content !== "string" || data.content === "") return [];
  const key = [speaker, data.interactionId ?? "", data.turnId ?? parentId ?? ""].join(" ");
  return [{ type: "said", speaker, text: data.content, key, goesOn: true, ...timeOf(timestamp) }];
}
