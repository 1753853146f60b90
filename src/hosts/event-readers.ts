/**
 * Canonical events from the payload that Claude Code brought into use and others took over: snake_case fields, one JSON
 * object. A host whose payload is of this kind lists which of its events each reader is for.
 */
import type { AgentEvent, EventContext, EventOf } from "../core/event.ts";
import type { Json, JsonObject } from "../core/json.ts";
import type { DelegatingTools } from "./delegation.ts";
import type { Moment, Native } from "./host.ts";
import { countOrNull, filledOr, requiredObject, requiredText, textOr } from "./payload.ts";
import type { Vocabulary } from "./tool-vocabulary.ts";

/** The name stands first: in V8 a copy that fields are then added to has a shape of its own, and all who read it are slow. */
export type EventReader = (reading: Reading) => readonly AgentEvent[];

export interface Reading {
  readonly host: string;
  readonly payload: JsonObject;
  readonly context: EventContext;
  readonly tools: Vocabulary;
  readonly delegating?: DelegatingTools | undefined;
}

export interface Dialect {
  readonly host: string;
  readonly tools: Vocabulary;
  readonly delegating?: DelegatingTools;
  readonly readers: Readonly<Record<string, EventReader>>;
  /** Native events that are nothing for hooks. */
  readonly passed: readonly string[];
  /** What the common fields of a payload say. */
  readonly contextOf: (payload: JsonObject, moment: Moment) => EventContext;
}

export function parseWith({ host, tools, delegating, readers, passed, contextOf }: Dialect) {
  return (payload: JsonObject, moment: Moment): Native => {
    const event = filledOr(payload.hook_event_name, moment.event) ?? requiredText(payload, "hook_event_name", host);
    const read = Object.hasOwn(readers, event) ? readers[event] : undefined;
    const context = contextOf(payload, moment);
    const events = (read?.({ host, payload, context, tools, delegating }) ?? []).map(
      (item, index): AgentEvent => (index === 0 ? item : { ...item, id: `${moment.id}-${index + 1}` }),
    );
    const unknown = events.find((item) => "tool" in item && !tools.knows(item.tool.name));
    const native: Native = { event, payload, events };
    if (!read && !passed.includes(event)) return { ...native, unknownEvent: event };
    return unknown && "tool" in unknown ? { ...native, unknownTool: unknown.tool.name } : native;
  };
}

/** The common fields, where a host has no others of its own. */
export function commonContext(host: string, payload: JsonObject, { id, at, cwd }: Moment): EventContext {
  return {
    id,
    at,
    host,
    session: textOr(payload.session_id, ""),
    turn: "",
    agent: filledOr(payload.agent_id, null),
    parentAgent: null,
    cwd: filledOr(payload.cwd, cwd),
    permissionMode: permissionMode(payload.permission_mode),
    model: textOr(payload.model, ""),
    transcriptPath: filledOr(payload.transcript_path, null),
  };
}

const PERMISSION_MODES: Readonly<Record<string, EventContext["permissionMode"]>> = {
  plan: "plan",
  acceptEdits: "accept_edits",
  "auto-edit": "accept_edits",
  bypassPermissions: "bypass",
  yolo: "bypass",
};

export const permissionMode = (mode: Json | undefined): EventContext["permissionMode"] =>
  PERMISSION_MODES[textOr(mode, "")] ?? "default";

export const sessionStart: EventReader = ({ payload, context }) => [
  { name: "session_start", ...context, source: sourceOf(payload.source) },
];

export const sessionEnd: EventReader = ({ payload, context }) => [
  { name: "session_end", ...context, reason: textOr(payload.reason, "") },
];

export const userPrompt: EventReader = ({ payload, context }) => [
  { name: "user_prompt_submit", ...context, prompt: textOr(payload.prompt, "") },
];

/** A call that delegates is a delegation too. */
export const preToolUse: EventReader = (reading) => {
  const { context, delegating } = reading;
  const tool = toolOf(reading);
  const call: EventOf<"pre_tool_use"> = { name: "pre_tool_use", ...context, tool };
  if (!delegating?.names.includes(tool.name)) return [call];
  const request = delegating.requestOf(tool.input);
  return [call, { name: "pre_delegation", ...context, toolUseId: tool.id ?? "", ...request }];
};

export const permissionRequest: EventReader = (reading) => [
  { name: "permission_request", ...reading.context, tool: toolOf(reading) },
];

export const postToolUse: EventReader = (reading) => [
  {
    name: "post_tool_use",
    ...reading.context,
    tool: toolOf(reading),
    response: reading.payload.tool_response ?? null,
    failed: false,
    outcomeUnknown: false,
    durationMs: countOrNull(reading.payload.duration_ms),
  },
];

/** For hosts that report a failed call as an event of its own. */
export const postToolUseFailure: EventReader = (reading) => {
  const { payload, context, delegating } = reading;
  const tool = toolOf(reading);
  const error = textOr(payload.error, "");
  const durationMs = countOrNull(payload.duration_ms);
  const call: EventOf<"post_tool_use"> = {
    name: "post_tool_use",
    ...context,
    tool,
    response: error,
    failed: true,
    outcomeUnknown: false,
    durationMs,
  };
  if (!delegating?.names.includes(tool.name)) return [call];
  const { targetAgentId, objective } = delegating.requestOf(tool.input);
  const failure: EventOf<"delegation_failure"> = {
    name: "delegation_failure",
    ...context,
    delegationId: tool.id ?? "",
    targetAgentId,
    objective,
    status: "failed",
    error,
    errorType: payload.is_interrupt === true ? "Interrupted" : "Unknown Error",
  };
  return [call, failure];
};

export const preCompaction: EventReader = ({ payload, context }) => [
  {
    name: "pre_compaction",
    ...context,
    trigger: textOr(payload.trigger, ""),
    tokenEstimate: null,
    messageCount: null,
  },
];

export const postCompaction: EventReader = ({ payload, context }) => [
  {
    name: "post_compaction",
    ...context,
    trigger: textOr(payload.trigger, ""),
    summary: textOr(payload.compact_summary, ""),
    originalTokenCount: null,
    summaryTokenCount: null,
    messageCount: null,
  },
];

export const delegationStart: EventReader = ({ payload, context }) => [
  {
    name: "delegation_start",
    ...context,
    delegationId: textOr(payload.agent_id, ""),
    targetAgentId: textOr(payload.agent_type, ""),
    objective: "",
    context: null,
    constraints: null,
    expectedOutput: null,
    status: "requested",
  },
];

export const postDelegation: EventReader = ({ payload, context }) => [
  {
    name: "post_delegation",
    ...context,
    delegationId: textOr(payload.agent_id, ""),
    targetAgentId: textOr(payload.agent_type, ""),
    childSessionId: textOr(payload.agent_id, ""),
    objective: "",
    status: "complete",
    summary: textOr(payload.last_assistant_message, ""),
    verificationPassed: false,
  },
];

export const stop: EventReader = ({ payload, context }) => [
  {
    name: "stop",
    ...context,
    stopReason: "end_turn",
    lastAssistantMessage: textOr(payload.last_assistant_message, null),
    continuations: payload.stop_hook_active === true ? 1 : 0,
  },
];

export const notification: EventReader = ({ payload, context }) => [
  {
    name: "notification",
    ...context,
    kind: textOr(payload.notification_type, ""),
    message: textOr(payload.message, ""),
  },
];

const SOURCES: readonly EventOf<"session_start">["source"][] = ["startup", "resume", "clear", "compact"];

export function sourceOf(source: Json | undefined): EventOf<"session_start">["source"] {
  if (source === "fork") return "resume";
  return SOURCES.find((known) => known === source) ?? "startup";
}

export function toolOf({ host, payload, tools }: Pick<Reading, "host" | "payload" | "tools">) {
  const id = filledOr(payload.tool_use_id, undefined);
  return tools.read(requiredText(payload, "tool_name", host), requiredObject(payload, "tool_input", host), id);
}
