import type { AgentEvent, EventContext, EventOf } from "../../core/event.ts";
import type { Json, JsonObject } from "../../core/json.ts";
import type { Moment, Native } from "../host.ts";
import { countOrNull, filledOr, requiredObject, requiredText, textOr } from "../payload.ts";
import { PASSED } from "./support.ts";
import { DELEGATING, tools } from "./tools.ts";

const HOST = "claude-code";

export function parse(payload: JsonObject, moment: Moment): Native {
  const event = requiredText(payload, "hook_event_name", HOST);
  const read = Object.hasOwn(READERS, event) ? READERS[event] : undefined;
  const events = (read?.({ payload, context: contextOf(payload, moment) }) ?? []).map(
    (item, index): AgentEvent => (index === 0 ? item : { ...item, id: `${moment.id}-${index + 1}` }),
  );
  const unknownTool = events
    .flatMap((item) => ("tool" in item ? [item.tool.name] : []))
    .find((name) => !tools.knows(name));
  return {
    event,
    payload,
    events,
    ...(read || PASSED.includes(event) ? {} : { unknownEvent: event }),
    ...(unknownTool === undefined ? {} : { unknownTool }),
  };
}

interface Reading {
  readonly payload: JsonObject;
  readonly context: EventContext;
}

const READERS: Readonly<Record<string, (reading: Reading) => readonly AgentEvent[]>> = {
  SessionStart: ({ payload, context }) => [{ ...context, name: "session_start", source: sourceOf(payload.source) }],
  SessionEnd: ({ payload, context }) => [{ ...context, name: "session_end", reason: textOr(payload.reason, "") }],
  UserPromptSubmit: ({ payload, context }) => [
    { ...context, name: "user_prompt_submit", prompt: textOr(payload.prompt, "") },
  ],
  PreToolUse: ({ payload, context }) => {
    const tool = toolOf(payload);
    const call: EventOf<"pre_tool_use"> = { ...context, name: "pre_tool_use", tool };
    if (!DELEGATING.includes(tool.name)) return [call];
    const delegation = { name: "pre_delegation", toolUseId: tool.id ?? "", ...delegationOf(tool.input) } as const;
    return [call, { ...context, ...delegation }];
  },
  PermissionRequest: ({ payload, context }) => [{ ...context, name: "permission_request", tool: toolOf(payload) }],
  PostToolUse: ({ payload, context }) => [
    {
      ...context,
      name: "post_tool_use",
      tool: toolOf(payload),
      response: payload.tool_response ?? null,
      failed: false,
      durationMs: countOrNull(payload.duration_ms),
    },
  ],
  PostToolUseFailure: ({ payload, context }) => {
    const tool = toolOf(payload);
    const error = textOr(payload.error, "");
    const durationMs = countOrNull(payload.duration_ms);
    const call: EventOf<"post_tool_use"> = {
      ...context,
      name: "post_tool_use",
      tool,
      response: error,
      failed: true,
      durationMs,
    };
    if (!DELEGATING.includes(tool.name)) return [call];
    const { targetAgentId, objective } = delegationOf(tool.input);
    const failure: EventOf<"delegation_failure"> = {
      ...context,
      name: "delegation_failure",
      delegationId: tool.id ?? "",
      targetAgentId,
      objective,
      status: "failed",
      error,
      errorType: payload.is_interrupt === true ? "Interrupted" : "Unknown Error",
    };
    return [call, failure];
  },
  PreCompact: ({ payload, context }) => [
    {
      ...context,
      name: "pre_compaction",
      trigger: textOr(payload.trigger, ""),
      tokenEstimate: null,
      messageCount: null,
    },
  ],
  PostCompact: ({ payload, context }) => [
    {
      ...context,
      name: "post_compaction",
      trigger: textOr(payload.trigger, ""),
      summary: textOr(payload.compact_summary, ""),
      originalTokenCount: null,
      summaryTokenCount: null,
      messageCount: null,
    },
  ],
  SubagentStart: ({ payload, context }) => [
    {
      ...context,
      name: "delegation_start",
      delegationId: textOr(payload.agent_id, ""),
      targetAgentId: textOr(payload.agent_type, ""),
      objective: "",
      context: null,
      constraints: null,
      expectedOutput: null,
      status: "requested",
    },
  ],
  // The summariser of a compaction ends like a sub-agent, but has no type and nobody asked for it.
  SubagentStop: ({ payload, context }) =>
    payload.agent_type === ""
      ? []
      : [
          {
            ...context,
            name: "post_delegation",
            delegationId: textOr(payload.agent_id, ""),
            targetAgentId: textOr(payload.agent_type, ""),
            childSessionId: textOr(payload.agent_id, ""),
            objective: "",
            status: "complete",
            summary: textOr(payload.last_assistant_message, ""),
            verificationPassed: false,
          },
        ],
  Stop: ({ payload, context }) => [
    {
      ...context,
      name: "stop",
      stopReason: "end_turn",
      lastAssistantMessage: textOr(payload.last_assistant_message, null),
      continuations: payload.stop_hook_active === true ? 1 : 0,
    },
  ],
  Notification: ({ payload, context }) => [
    {
      ...context,
      name: "notification",
      kind: textOr(payload.notification_type, ""),
      message: textOr(payload.message, ""),
    },
  ],
};

function contextOf(payload: JsonObject, { id, at, env, cwd }: Moment): EventContext {
  return {
    id,
    at,
    host: HOST,
    session: filledOr(payload.session_id, env.CLAUDE_CODE_SESSION_ID ?? ""),
    turn: textOr(payload.prompt_id, ""),
    agent: filledOr(payload.agent_id, null),
    parentAgent: null,
    cwd: filledOr(payload.cwd, cwd),
    permissionMode: PERMISSION_MODES[textOr(payload.permission_mode, "")] ?? "default",
    model: textOr(payload.model, ""),
    transcriptPath: filledOr(payload.transcript_path, null),
  };
}

const PERMISSION_MODES: Readonly<Record<string, EventContext["permissionMode"]>> = {
  plan: "plan",
  acceptEdits: "accept_edits",
  bypassPermissions: "bypass",
};

const SOURCES: readonly EventOf<"session_start">["source"][] = ["startup", "resume", "clear", "compact"];

function sourceOf(source: Json | undefined): EventOf<"session_start">["source"] {
  if (source === "fork") return "resume";
  return SOURCES.find((known) => known === source) ?? "startup";
}

function toolOf(payload: JsonObject) {
  const id = filledOr(payload.tool_use_id, undefined);
  return tools.read(requiredText(payload, "tool_name", HOST), requiredObject(payload, "tool_input", HOST), id);
}

/** The sub-agent that Claude Code takes where the call names none. */
const DEFAULT_AGENT = "general-purpose";

export function delegationOf(input: JsonObject) {
  return {
    targetAgentId: filledOr(input.subagent_type, DEFAULT_AGENT),
    objective: filledOr(input.prompt, textOr(input.description, "")),
    context: null,
    constraints: null,
    expectedOutput: null,
  };
}
