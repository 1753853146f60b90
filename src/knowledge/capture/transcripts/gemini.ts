/** Gemini CLI: a JSONL file per session. A message is written again when it changes; `$set` lines carry whole lists. */
import { isJsonObject, type Json, type JsonObject } from "../../../core/json.ts";
import { keyOf, readsOf, textOf, timeOf } from "../content.ts";
import { jsonLines } from "../json-lines.ts";
import type { TranscriptFormat, TranscriptItem } from "../transcript.ts";

export const gemini: TranscriptFormat = {
  // It names its transcript with every event.
  locate: async () => undefined,
  items: (path, _session, faults) => jsonLines(path, itemsOf, faults),
};

function itemsOf(record: JsonObject): readonly TranscriptItem[] {
  const set = record.$set;
  if (isJsonObject(set)) return (Array.isArray(set.messages) ? set.messages : []).flatMap(messageItems);
  return messageItems(record);
}

function messageItems(message: Json): readonly TranscriptItem[] {
  if (!isJsonObject(message) || (message.type !== "user" && message.type !== "gemini")) return [];
  const text = textOf(message.content);
  const speaker = message.type === "user" ? "user" : "agent";
  const calls = Array.isArray(message.toolCalls) ? message.toolCalls : [];
  return [
    ...(text === ""
      ? []
      : [{ type: "said" as const, speaker, text, ...keyOf(message.id), ...timeOf(message.timestamp) } as const]),
    ...calls.flatMap((call) => (isJsonObject(call) ? readsOf(call.name, call.args, call.id) : [])),
  ];
}
