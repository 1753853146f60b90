/**
 * The event table: every moment of an agent's life that hooks may look at. Types, wire schemas, docs and each host's
 * support matrix derive from it; nothing repeats it.
 */
import {
  anyJson,
  count,
  type Fields,
  flag,
  list,
  map,
  nullable,
  oneOf,
  optional,
  type ShapeOf,
  text,
} from "./fields.ts";
import { ATTEMPT_OUTCOME, ATTEMPT_PAYLOAD, PREPARE_PAYLOAD, TRANSITION_PAYLOAD } from "./run-payload.ts";
import type { ToolCallOf, ToolKind } from "./tool.ts";

/** What hooks may answer to an event. `deny` of a permission and `reject` of a task edit are spelled block. */
export type Answer = "allow" | "ask" | "block" | "rewrite" | "context" | "continue" | "halt" | "reinvoke" | "mutate";

export interface EventRow {
  readonly fires: string;
  /** judgement (default): all hooks speak, the strongest wins. procedure: in turn, the first refusal ends it. */
  readonly law?: "judgement" | "procedure";
  readonly answers: readonly Answer[];
  /** What a matcher is tested against; without it the event takes none. */
  readonly matcher?: "tool" | "agent";
  /** Hooks on this event guard (fail closed) unless they say otherwise. */
  readonly guards?: boolean;
  /** The event carries a tool call. */
  readonly tool?: boolean;
  readonly payload: Fields;
  /** Names people know from elsewhere, besides PascalCase and camelCase of the canonical one. */
  readonly aliases?: readonly string[];
}

const delegation = {
  targetAgentId: text("the sub-agent that is asked"),
  objective: text("what it is asked to do"),
  context: nullable(text("background given to it")),
  constraints: nullable(text("limits given to it")),
  expectedOutput: nullable(text("what it is to hand back")),
};

export const EVENTS = {
  session_start: {
    fires: "before the first model call",
    answers: ["context"],
    payload: { source: oneOf(["startup", "resume", "clear", "compact"], "why the session starts") },
  },
  session_end: { fires: "the session is over", answers: [], payload: { reason: text("why it ended") } },
  user_prompt_submit: {
    fires: "the person pressed enter",
    answers: ["block", "context"],
    guards: true,
    payload: { prompt: text("the text, after slash expansion") },
  },
  pre_tool_use: {
    fires: "the model picked a tool, it has not run",
    answers: ["block", "ask", "allow", "rewrite", "context"],
    guards: true,
    matcher: "tool",
    tool: true,
    payload: {},
  },
  permission_request: {
    fires: "the host would ask the person",
    answers: ["allow", "block"],
    guards: true,
    matcher: "tool",
    tool: true,
    payload: {},
  },
  post_tool_use: {
    fires: "the tool returned or failed",
    answers: ["block", "rewrite", "context"],
    matcher: "tool",
    tool: true,
    payload: {
      response: anyJson("what the tool returned"),
      failed: flag("the tool failed"),
      outcomeUnknown: flag("it still runs, or the host does not say whether it failed"),
      durationMs: nullable(count("how long it ran, in milliseconds")),
    },
  },
  pre_compaction: {
    fires: "before the context is compacted",
    answers: ["block", "context"],
    guards: true,
    aliases: ["PreCompact"],
    payload: {
      trigger: text("what asked for it"),
      tokenEstimate: nullable(count("tokens before")),
      messageCount: nullable(count("messages before")),
    },
  },
  post_compaction: {
    fires: "after the context was compacted",
    answers: ["context"],
    aliases: ["PostCompact"],
    payload: {
      trigger: text("what asked for it"),
      summary: text("the summary that replaces the messages"),
      originalTokenCount: nullable(count("tokens before")),
      summaryTokenCount: nullable(count("tokens after")),
      messageCount: nullable(count("messages before")),
    },
  },
  pre_delegation: {
    fires: "before a sub-agent is asked",
    answers: ["block", "rewrite", "context"],
    guards: true,
    matcher: "agent",
    payload: { toolUseId: text("id of the delegating call"), ...delegation },
  },
  delegation_start: {
    fires: "a sub-agent begins",
    answers: ["context"],
    matcher: "agent",
    aliases: ["SubagentStart"],
    payload: { delegationId: text("id of the delegation"), ...delegation, status: text("requested") },
  },
  post_delegation: {
    fires: "a sub-agent is done",
    answers: ["context"],
    matcher: "agent",
    aliases: ["SubagentStop"],
    payload: {
      delegationId: text("id of the delegation"),
      targetAgentId: delegation.targetAgentId,
      childSessionId: text("the sub-agent's session"),
      objective: delegation.objective,
      status: text("complete"),
      summary: text("what it handed back"),
      verificationPassed: flag("its result was verified"),
    },
  },
  delegation_failure: {
    fires: "a sub-agent failed",
    answers: ["context"],
    matcher: "agent",
    payload: {
      delegationId: text("id of the delegation"),
      targetAgentId: delegation.targetAgentId,
      objective: delegation.objective,
      status: text("failed"),
      error: text("what went wrong"),
      errorType: text("the kind of failure"),
    },
  },
  stop: {
    fires: "a turn would end",
    answers: ["continue", "halt", "context"],
    payload: {
      stopReason: text("why it would end"),
      lastAssistantMessage: nullable(text("the agent's last words")),
      continuations: count("how often hooks already continued this turn"),
    },
  },
  notification: {
    fires: "the host wants the person's attention",
    answers: [],
    payload: { kind: text("what the notification is about"), message: text("its text") },
  },
  prepare: {
    fires: "once, before a run's first attempt",
    answers: ["block", "reinvoke", "mutate"],
    law: "procedure",
    guards: true,
    payload: PREPARE_PAYLOAD,
  },
  before_attempt: {
    fires: "before each attempt of a run",
    answers: ["block", "reinvoke", "mutate"],
    law: "procedure",
    guards: true,
    payload: ATTEMPT_PAYLOAD,
  },
  after_attempt: {
    fires: "after each attempt of a run",
    answers: ["block", "reinvoke", "mutate"],
    law: "procedure",
    guards: true,
    payload: { ...ATTEMPT_PAYLOAD, outcome: ATTEMPT_OUTCOME },
  },
  after_exit: {
    fires: "after a run ended",
    answers: ["mutate"],
    law: "procedure",
    payload: { ...ATTEMPT_PAYLOAD, status: text("how the run ended") },
  },
  task_transition: {
    fires: "around every task edit, transactionally",
    answers: ["allow", "block", "mutate"],
    law: "procedure",
    guards: true,
    payload: TRANSITION_PAYLOAD,
  },
} as const satisfies { readonly [name: string]: EventRow };

export type EventName = keyof typeof EVENTS;
export const EVENT_NAMES = Object.keys(EVENTS) as readonly EventName[];

export const PERMISSION_MODES = ["default", "plan", "accept_edits", "bypass"] as const;

/** What every event carries, whatever it is about. */
export const CONTEXT_FIELDS = {
  id: text("id of this event"),
  at: text("when it happened, RFC 3339 UTC"),
  host: text("id of the host that runs the agent"),
  session: text("the host's session id"),
  turn: text("the turn, the same on all events of one turn"),
  agent: nullable(text("the sub-agent that acts; null: the main agent")),
  parentAgent: nullable(text("who asked that sub-agent")),
  ancestors: optional(list(text(), "every agent above it, the nearest first, where the host knows them")),
  cwd: text("the agent's working directory"),
  permissionMode: oneOf(PERMISSION_MODES, "captured when the turn started"),
  model: text("the model, where the host says"),
  transcriptPath: nullable(text("the host's transcript of the session")),
  user: optional(text("on whose behalf the agent acts")),
  organisation: optional(text("the user's organisation")),
  metadata: optional(map(anyJson(), "whatever the embedder adds")),
} as const;

export type EventContext = ShapeOf<typeof CONTEXT_FIELDS>;

type ToolPart<N extends EventName, K extends ToolKind> = (typeof EVENTS)[N] extends { tool: true }
  ? { readonly tool: ToolCallOf<K> }
  : unknown;

export type EventOf<N extends EventName, K extends ToolKind = ToolKind> = N extends EventName
  ? EventContext & { readonly name: N } & ShapeOf<(typeof EVENTS)[N]["payload"]> & ToolPart<N, K>
  : never;

export type AgentEvent = EventOf<EventName>;
export type ToolEvent = EventOf<"pre_tool_use" | "permission_request" | "post_tool_use">;

export function eventRow(name: EventName): EventRow {
  return EVENTS[name];
}

export function hasTool(event: AgentEvent): event is ToolEvent {
  return eventRow(event.name).tool === true;
}

/** The canonical name behind any spelling people use; undefined where there is no such event. */
export function canonicalEventName(spelling: string): EventName | undefined {
  return SPELLINGS.get(spelling);
}

const pascal = (name: string) => name.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
const camel = (name: string) => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

const SPELLINGS: ReadonlyMap<string, EventName> = new Map(
  EVENT_NAMES.flatMap((name) =>
    [name, pascal(name), camel(name), ...(eventRow(name).aliases ?? [])].map((spelling) => [spelling, name] as const),
  ),
);
