/** pi's events as payloads: what the engine is asked with, and what the fixtures hold. */
import type { Json, JsonObject } from "../../core/json.ts";
import type { ExtensionContext, Message, PiEventName, PiEvents } from "./extension-api.ts";

export function payloadOf<E extends PiEventName>(name: E, event: PiEvents[E], context: ExtensionContext): JsonObject {
  const { cwd, model, sessionManager } = context;
  const payload = {
    hook_event_name: name,
    session_id: sessionManager.getSessionId(),
    cwd,
    transcript_path: sessionManager.getSessionFile(),
    model: model && `${model.provider}/${model.id}`,
    ...FIELDS[name](event),
  };
  // As a process would get it: nothing of pi's own objects is handed on.
  return JSON.parse(JSON.stringify(payload)) as JsonObject;
}

const FIELDS: { readonly [E in PiEventName]: (event: PiEvents[E]) => object } = {
  session_start: ({ reason }) => ({ source: reason }),
  session_shutdown: ({ reason }) => ({ reason }),
  input: ({ text }) => ({ prompt: text }),
  tool_call: ({ toolName, toolCallId, input }) => ({
    tool_name: toolName,
    tool_input: input,
    tool_use_id: toolCallId,
  }),
  tool_result: ({ toolName, toolCallId, input, content, isError }) => ({
    tool_name: toolName,
    tool_input: input,
    tool_response: content,
    is_error: isError,
    tool_use_id: toolCallId,
  }),
  session_before_compact: ({ reason, preparation }) => ({
    trigger: reason,
    token_estimate: preparation.tokensBefore,
    message_count: preparation.messagesToSummarize.length,
  }),
  session_compact: ({ reason, compactionEntry }) => ({
    trigger: reason,
    compact_summary: compactionEntry.summary,
    token_estimate: compactionEntry.tokensBefore,
  }),
  agent_before_settle: ({ outcome, context }) => ({
    outcome,
    last_assistant_message: lastWords(context.llmMessages),
  }),
};

/** What the agent said last, calls of tools and thoughts left out. */
function lastWords(messages: readonly Message[]): string | null {
  const last = messages.findLast(({ role }) => role === "assistant");
  if (!last) return null;
  const parts: readonly Json[] = Array.isArray(last.content) ? last.content : [];
  return typeof last.content === "string" ? last.content : parts.flatMap(textOf).join("\n");
}

const textOf = (part: Json): string[] =>
  typeof part === "object" && part !== null && "text" in part && typeof part.text === "string" ? [part.text] : [];
