import { type AgentEvent, type EventContext, type EventName, eventRow } from "../../core/event.ts";
import { isJsonObject, type Json, type JsonObject } from "../../core/json.ts";
import { type Moment, type Native, supportRows } from "../host.ts";
import { countOrNull, filledOr, requiredText, textOr } from "../payload.ts";
import { PASSED, support } from "./support.ts";
import { tools } from "./tools.ts";

const HOST = "kiro";

/** Only the event's name must be there (K-4): Kiro's versions differ in everything else. */
export function parse(payload: JsonObject, moment: Moment): Native {
  const event = requiredText(payload, "hook_event_name", HOST);
  const canonical = canonicalEvent(event);
  const read = canonical && READERS[canonical];
  const events = read?.({ payload, moment, context: contextOf(payload, moment) }) ?? [];
  const tool = canonical && eventRow(canonical).tool ? (toolName(payload) ?? "") : undefined;
  return {
    event,
    payload,
    events,
    ...(canonical || PASSED.includes(event.toLowerCase()) ? {} : { unknownEvent: event }),
    ...(tool === undefined || tools.knows(tool) ? {} : { unknownTool: tool || "(none named)" }),
  };
}

/** Kiro's versions spell one name in several cases (K-2). */
export function canonicalEvent(native: string): EventName | undefined {
  const lower = native.toLowerCase();
  return supportRows(support).find((row) => row.native.some((name) => name.toLowerCase() === lower))?.event;
}

interface Reading {
  readonly payload: JsonObject;
  readonly moment: Moment;
  readonly context: EventContext;
}

const READERS: { readonly [E in EventName]?: (reading: Reading) => readonly AgentEvent[] } = {
  session_start: ({ context }) => [{ name: "session_start", ...context, source: "startup" }],
  user_prompt_submit: ({ payload, moment, context }) => [
    { name: "user_prompt_submit", ...context, prompt: textOr(payload.prompt, moment.env.USER_PROMPT ?? "") },
  ],
  pre_tool_use: ({ payload, context }) => [{ name: "pre_tool_use", ...context, tool: toolOf(payload) }],
  // Without a tool there is nothing to record (K-27), and without a directory nowhere to (K-32).
  post_tool_use: ({ payload, context }) =>
    toolName(payload) === undefined
      ? []
      : [
          {
            name: "post_tool_use",
            ...context,
            cwd: textOr(payload.cwd, ""),
            tool: toolOf(payload),
            response: payload.tool_response ?? null,
            failed: failed(payload.tool_response),
            outcomeUnknown: false,
            durationMs: countOrNull(payload.duration_ms),
          },
        ],
  stop: ({ payload, context }) => [
    {
      name: "stop",
      ...context,
      stopReason: "end_turn",
      lastAssistantMessage: textOr(payload.assistant_response, null),
      continuations: 0,
    },
  ],
};

function contextOf(payload: JsonObject, { id, at, env, cwd }: Moment): EventContext {
  return {
    id,
    at,
    host: HOST,
    session: filledOr(payload.session_id, env.KIRO_SESSION_ID ?? ""),
    turn: "",
    agent: null,
    parentAgent: null,
    cwd: filledOr(payload.cwd, cwd),
    permissionMode: "default",
    model: "",
    transcriptPath: null,
  };
}

const toolName = (payload: JsonObject) => filledOr(payload.tool_name, undefined);

function toolOf(payload: JsonObject) {
  const { tool_input: input, tool_use_id: id } = payload;
  return tools.read(toolName(payload) ?? "", isJsonObject(input) ? input : {}, filledOr(id, undefined));
}

/** CLI 2.x says `success` (K-28); the IDE only ends a shell's output with its exit code. */
function failed(response: Json | undefined): boolean {
  if (isJsonObject(response)) return response.success === false;
  return typeof response === "string" && /\bExit Code: (?!0\b)\d+\s*$/.test(response);
}
