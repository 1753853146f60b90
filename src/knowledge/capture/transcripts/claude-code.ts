/** Claude Code: a JSONL file per session; messages of both sides among many records of its own. */
import { isJsonObject, type JsonObject } from "../../../core/json.ts";
import { keyOf, readsOf, textOf } from "../content.ts";
import { jsonLines } from "../json-lines.ts";
import type { TranscriptFormat, TranscriptItem } from "../transcript.ts";

export const claudeCode: TranscriptFormat = {
  // It names its transcript with every event.
  locate: async () => undefined,
  items: (path, _session, faults) => jsonLines(path, itemsOf, faults),
};

/** A sub-agent's lines, hooks' texts and summaries of a compaction are no words of the two who talk. */
const ASIDES = ["isSidechain", "isMeta", "isCompactSummary", "isVisibleInTranscriptOnly"];

function itemsOf(record: JsonObject): readonly TranscriptItem[] {
  const { message, uuid } = record;
  if (!isJsonObject(message) || ASIDES.some((mark) => record[mark] === true)) return [];
  // Requests to the model stand there too, as messages of a user: only these two kinds are what was said.
  const role = record.type;
  if (role !== "user" && role !== "assistant") return [];
  const text = textOf(message.content);
  const speaker = role === "user" ? "user" : "agent";
  return [
    ...(text === "" ? [] : [{ type: "said" as const, speaker, text, ...keyOf(uuid) } as const]),
    ...reads(message),
  ];
}

const reads = ({ content }: JsonObject) =>
  (Array.isArray(content) ? content : []).flatMap((block) =>
    isJsonObject(block) && block.type === "tool_use" ? readsOf(block.name, block.input, block.id) : [],
  );
