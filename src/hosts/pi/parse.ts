/** The payloads that our plugin makes of pi's events: see payload.ts. */
import type { EventOf } from "../../core/event.ts";
import { isJsonObject, type Json } from "../../core/json.ts";
import {
  commonContext,
  type EventReader,
  parseWith,
  preToolUse,
  sessionEnd,
  stop,
  toolOf,
  userPrompt,
} from "../event-readers.ts";
import { countOrNull, textOr } from "../payload.ts";
import { PASSED } from "./support.ts";
import { tools } from "./tools.ts";

const HOST = "pi";

export const parse = parseWith({
  host: HOST,
  tools,
  passed: PASSED,
  contextOf: (payload, moment) => commonContext(HOST, payload, moment),
  readers: {
    session_start: ({ payload, context }) => [
      { name: "session_start", ...context, source: SOURCES[textOr(payload.source, "")] ?? "startup" },
    ],
    // The session goes on with its extensions loaded anew.
    session_shutdown: (reading) => (reading.payload.reason === "reload" ? [] : sessionEnd(reading)),
    input: userPrompt,
    tool_call: preToolUse,
    tool_result: (reading) => [
      {
        name: "post_tool_use",
        ...reading.context,
        tool: toolOf(reading),
        response: responseOf(reading.payload.tool_response),
        failed: reading.payload.is_error === true,
        outcomeUnknown: false,
        durationMs: null,
      },
    ],
    session_before_compact: ({ payload, context }) => [
      {
        name: "pre_compaction",
        ...context,
        trigger: textOr(payload.trigger, ""),
        tokenEstimate: countOrNull(payload.token_estimate),
        messageCount: countOrNull(payload.message_count),
      },
    ],
    session_compact: compacted,
    // A person who interrupts, and a model that cannot be reached, are not to be told to go on.
    agent_before_settle: (reading) =>
      reading.payload.outcome === "aborted" || reading.payload.outcome === "error" ? [] : stop(reading),
  },
});

/** What a session was told at its start is gone with its messages, and pi has no other event for that. */
function compacted({ payload, context }: Parameters<EventReader>[0]): ReturnType<EventReader> {
  return [
    { name: "session_start", ...context, source: "compact" },
    {
      name: "post_compaction",
      ...context,
      trigger: textOr(payload.trigger, ""),
      summary: textOr(payload.compact_summary, ""),
      originalTokenCount: countOrNull(payload.token_estimate),
      summaryTokenCount: null,
      messageCount: null,
    },
  ];
}

const SOURCES: Readonly<Record<string, EventOf<"session_start">["source"]>> = {
  startup: "startup",
  new: "clear",
  resume: "resume",
  fork: "resume",
  reload: "resume",
};

/** One text where the content is texts only, as it nearly always is; else pi's list. */
function responseOf(content: Json | undefined): Json {
  if (!Array.isArray(content)) return content ?? null;
  const texts = content.flatMap((part: Json) =>
    isJsonObject(part) && part.type === "text" && typeof part.text === "string" ? [part.text] : [],
  );
  return texts.length === content.length ? texts.join("\n") : content;
}
