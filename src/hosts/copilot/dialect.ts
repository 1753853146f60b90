/**
 * Copilot speaks two dialects. Events registered in camelCase come with camelCase fields and without their name; those in
 * PascalCase, as in Claude Code's settings, with snake_case fields and their name, but not all of them. Here both become
 * the one payload that event-readers.ts reads.
 */
import { isJsonObject, type Json, type JsonObject } from "../../core/json.ts";
import type { Moment } from "../host.ts";
import { filledOr, unusable } from "../payload.ts";
import { FREEFORM } from "./tools.ts";

/** The payload with its fields in snake_case, a call's arguments as an object and its result as a text. */
export function snakeCased(payload: JsonObject, event: string): JsonObject {
  const renamed = RENAMED.flatMap(([snake, camel]) => {
    const value = payload[snake] ?? payload[camel];
    return value === undefined ? [] : [[snake, value] as const];
  });
  const {
    tool_input: input,
    tool_result: result,
    ...fields
  }: JsonObject = {
    ...payload,
    ...Object.fromEntries(renamed),
    hook_event_name: event,
  };
  return {
    ...fields,
    ...(input === undefined ? {} : { tool_input: argumentsOf(input) }),
    ...(result === undefined ? {} : { tool_response: textOfResult(result) }),
  };
}

const RENAMED: readonly (readonly [snake: string, camel: string])[] = [
  ["session_id", "sessionId"],
  ["transcript_path", "transcriptPath"],
  ["agent_id", "agentId"],
  ["agent_type", "agentType"],
  ["parent_agent_id", "parentAgentId"],
  ["last_assistant_message", "response"],
  ["tool_name", "toolName"],
  ["tool_input", "toolArgs"],
  ["tool_input", "toolInput"],
  ["tool_result", "toolResult"],
];

/** What the tool was called with, in either dialect. */
export function inputOf({ tool_input, toolArgs, toolInput }: JsonObject): Json | undefined {
  const input = tool_input ?? toolArgs ?? toolInput;
  return input === undefined ? undefined : argumentsOf(input);
}

/** Whether the call's arguments are a text, and another one has to be a text too. */
export const isFreeform = ({ tool_input, toolArgs }: JsonObject) => typeof (tool_input ?? toolArgs) === "string";

const argumentsOf = (input: Json): Json => (typeof input === "string" ? { [FREEFORM]: input } : input);

/** What the model would be shown; a result of another shape as it is. */
function textOfResult(result: Json): Json {
  if (!isJsonObject(result)) return result;
  return filledOr(result.textResultForLlm ?? result.text_result_for_llm, result);
}

/** As the command line says, else the payload; two events of the PascalCase dialect are known by their fields only. */
export function eventOf(payload: JsonObject, moment: Moment): string {
  const named = moment.event ?? filledOr(payload.hook_event_name, undefined);
  if (named) return named;
  if (payload.hookName === "permissionRequest") return "PermissionRequest";
  if (typeof payload.agentName === "string" && payload.stopReason === undefined) return "SubagentStart";
  throw unusable("copilot", "neither it nor the command line names the event");
}

/** The name under which we register an event, whichever dialect named it. */
export function registeredName(native: string): string {
  const other = Object.hasOwn(OTHER_WORDS, native) ? OTHER_WORDS[native] : undefined;
  return other ?? native.charAt(0).toLowerCase() + native.slice(1);
}

const OTHER_WORDS: Readonly<Record<string, string>> = { Stop: "agentStop", UserPromptSubmit: "userPromptSubmitted" };

/**
 * By its shape alone: variables are inherited by whatever the agent starts, another agent among them. A time stamp in
 * every payload is Copilot's; others that have one give a transcript with every event, and none in this place.
 */
export function isCopilots(payload: JsonObject): boolean {
  const { timestamp, sessionId, session_id, hookEventName, transcript_path: transcript } = payload;
  if (typeof sessionId === "string") return typeof timestamp === "number" && hookEventName === undefined;
  if (typeof session_id !== "string" || typeof timestamp !== "string") return false;
  return transcript === undefined || (typeof transcript === "string" && SESSION_LOG.test(transcript));
}

const SESSION_LOG = /[\\/]session-state[\\/][^\\/]+[\\/]events\.jsonl$/;
