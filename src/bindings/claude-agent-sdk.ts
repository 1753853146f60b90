/**
 * Claude Agent SDK (@anthropic-ai/claude-agent-sdk 0.3). Its hooks are Claude Code's, called back instead of run: so
 * payloads are read and answered by that host's codec. One callback per event: of several the SDK takes the last to
 * finish. Session start and end are not called back and are fired around `query()`.
 */
import { randomUUID } from "node:crypto";
import type { AgentEvent, EventName } from "../core/event.ts";
import { canonicalJson, type JsonObject, sameJson } from "../core/json.ts";
import type { PayloadOf, Session } from "../embed/session.ts";
import type { InputProblem, PersonAnswer } from "../embed/tool-call.ts";
import { contextText } from "../hosts/answer-text.ts";
import { codec } from "../hosts/claude-code/codec.ts";
import { tools as vocabulary } from "../hosts/claude-code/tools.ts";
import { permissionMode } from "../hosts/event-readers.ts";
import type { Native, Outcome } from "../hosts/host.ts";
import { answered, failed } from "./claude-agent-sdk-answers.ts";
import { Deferrals, waitingIn } from "./claude-agent-sdk-deferrals.ts";
import { messageOf } from "./hook-context.ts";
import { rewriteProblem } from "./rewrite-problem.ts";
import type { SupportTable } from "./support.ts";
import { endSession, startSession } from "./turn.ts";

export const support: SupportTable = {
  session_start: {
    how: "wrapped",
    note: "by `guardedQuery`; its context goes with the first prompt. After a compaction by the SDK",
  },
  session_end: { how: "wrapped", note: "by `guardedQuery`, when the messages end" },
  user_prompt_submit: { how: "enforced", note: "UserPromptSubmit" },
  pre_tool_use: { how: "enforced", note: "PreToolUse; the model sees its own input in the history" },
  "pre_tool_use: ask": {
    how: "enforced",
    note: "through canUseTool; with `suspend` as a deferred call, pending approvals too. Of several such calls one is deferred, the others are blocked and to be made again",
  },
  permission_request: { how: "enforced", note: "the callback and canUseTool go by one decision" },
  post_tool_use: { how: "enforced", note: "PostToolUse and PostToolUseFailure" },
  "post_tool_use: rewrite": {
    how: "enforced",
    note: "Bash, Read and MCP tools; beside the output of other tools, and of failed calls, stands what replaces it",
  },
  pre_delegation: { how: "enforced", note: "PreToolUse of the tool Agent" },
  delegation_start: { how: "enforced", note: "SubagentStart" },
  post_delegation: {
    how: "enforced",
    note: "SubagentStop; its context is not sent: the SDK takes it as an order to continue the sub-agent",
  },
  delegation_failure: { how: "enforced", note: "PostToolUseFailure of the tool Agent" },
  stop: {
    how: "enforced",
    note: "Stop; context without a continue is not sent: the SDK takes it as an order to go on",
  },
  pre_compaction: { how: "enforced", note: "PreCompact; its context is not sent: a callback has no form for it" },
  post_compaction: { how: "enforced", note: "PostCompact; likewise" },
  notification: { how: "enforced", note: "Notification" },
};

// biome-ignore lint/suspicious/noExplicitAny: the SDK's own types are not imported
type Input = any;

export type HookCallback = (
  input: Input,
  toolUseId: string | undefined,
  options: { readonly signal: AbortSignal },
) => Promise<JsonObject>;

export interface HookMatcher {
  readonly hooks: HookCallback[];
  readonly timeout: number;
  readonly onFailure?: "block";
}

export interface ClaudeGuardOptions {
  /** Tools of in-process MCP servers, by the name Claude gives them (`mcp__server__tool`): what rules call them, and their schema. */
  readonly ownTools?: Readonly<Record<string, { readonly name: string; readonly inputSchema?: JsonObject }>>;
  /** Where hooks ask, the query ends (`deferred_tool_use`) and is resumed with `answers`. Default: ask in process. */
  readonly suspend?: boolean;
  /** What people said to deferred calls, by tool_use_id. */
  readonly answers?: Readonly<Record<string, PersonAnswer>>;
}

export interface ClaudeGuard {
  readonly hooks: Readonly<Record<string, HookMatcher[]>>;
  readonly canUseTool: (
    tool: string,
    input: Record<string, unknown>,
    options: Input,
  ) => Promise<
    | { readonly behavior: "allow"; readonly updatedInput: Record<string, unknown> }
    | { readonly behavior: "deny"; readonly message: string }
  >;
  /** What a person is to be asked about a deferred call. */
  questionOf(toolUseId: string): string | undefined;
}

/** Ours ends before the SDK's does: only of a tool call does a callback that is late stop what it guards. */
const TIMEOUT_SECONDS = 120;
const GUARDS: readonly string[] = ["PreToolUse", "UserPromptSubmit", "PermissionRequest", "PreCompact"];
const EVENTS: readonly string[] = [
  ...GUARDS,
  ...["PostToolUse", "PostToolUseFailure", "Stop", "SubagentStart", "SubagentStop", "PostCompact", "SessionStart"],
  "Notification",
];

/** `options.hooks` and `options.canUseTool` of a query. Better still is `guardedQuery`, which fires session start and end. */
export function holdfastHooks(session: Session, options: ClaudeGuardOptions = {}): ClaudeGuard {
  const guard = new Guard(session, options);
  const matcher = (event: string): HookMatcher => ({
    hooks: [(input, toolUseId, { signal }) => guard.called(event, input, toolUseId, signal)],
    timeout: TIMEOUT_SECONDS,
    ...(GUARDS.includes(event) ? { onFailure: "block" } : {}),
  });
  return {
    hooks: Object.fromEntries(EVENTS.map((event) => [event, [matcher(event)]])),
    canUseTool: (tool, input, { signal, toolUseID, agentID, decisionReason }) =>
      guard.mayUse({ tool, input, signal, toolUseId: toolUseID, agentId: agentID, reason: decisionReason }),
    questionOf: (toolUseId) => guard.deferrals.questionOf(toolUseId),
  };
}

export interface GuardedQuery<M> {
  readonly session: Session;
  /** The SDK's `query`. */
  query(params: Input): AsyncIterable<M>;
  readonly prompt: unknown;
  /** As for `query`. Hooks of your own run beside these, not before or after them. */
  readonly options?: Readonly<Record<string, Input>>;
  readonly guard?: ClaudeGuard;
}

/** `query()`, guarded: its messages, between the start and the end of the session. */
export async function* guardedQuery<M>(given: GuardedQuery<M>): AsyncGenerator<M, void, undefined> {
  const { session, query, prompt, options = {}, guard = holdfastHooks(session) } = given;
  let ended = "error";
  let isSuspended = false;
  const hooks = Object.fromEntries(
    [...new Set([...Object.keys(guard.hooks), ...Object.keys(options.hooks ?? {})])].map((event) => [
      event,
      [...(guard.hooks[event] ?? []), ...(options.hooks?.[event] ?? [])],
    ]),
  );
  started.set(session, await startSession(session, options.resume === undefined ? "startup" : "resume"));
  try {
    for await (const message of query({ prompt, options: { ...options, hooks, canUseTool: guard.canUseTool } })) {
      const { type, subtype, deferred_tool_use } = message as Result;
      if (type === "result") ended = subtype ?? "success";
      isSuspended = type === "result" && deferred_tool_use !== undefined;
      yield message;
    }
  } finally {
    // A session that waits is not over: its end would withdraw what people are asked.
    if (!isSuspended) await endSession(session, ended);
  }
}

interface Result {
  readonly type?: string;
  readonly subtype?: string;
  readonly deferred_tool_use?: unknown;
}

/** What session_start told: there is no callback for it, so it goes with the first prompt. */
const started = new WeakMap<Session, readonly string[]>();

interface Asked {
  readonly tool: string;
  readonly input: Record<string, unknown>;
  readonly signal?: AbortSignal;
  readonly toolUseId?: string;
  readonly agentId?: string;
  readonly reason?: string;
}

class Guard {
  readonly deferrals: Deferrals;
  readonly #session: Session;
  readonly #options: ClaudeGuardOptions;
  readonly #children = new Map<string, Session>();
  /** Objectives of delegations that have not begun, by agent; of those that have, by the child's id. */
  readonly #requested = new Map<string, string[]>();
  readonly #objectives = new Map<string, string>();
  /** The hook and canUseTool run at once: both go by one decision. */
  readonly #permissions = new Map<string, Promise<readonly Outcome[]>>();
  #continuations = 0;

  constructor(session: Session, options: ClaudeGuardOptions) {
    this.#session = session;
    this.#options = options;
    this.deferrals = new Deferrals(session, options.answers ?? {});
    session.knowTools({ ...vocabulary, knows: (name) => !name.startsWith("mcp__") && vocabulary.knows(name) });
  }

  /** Never throws, and always answers before the SDK stops waiting. */
  async called(event: string, input: Input, toolUseId: string | undefined, signal: AbortSignal): Promise<JsonObject> {
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), (TIMEOUT_SECONDS - 5) * 1000);
    const tooLate = new Promise<never>((_, reject) => {
      late.signal.addEventListener("abort", () => reject(new Error("hooks took too long")), { once: true });
    });
    try {
      return await Promise.race([
        this.#answer(event, input, toolUseId, AbortSignal.any([signal, late.signal])),
        tooLate,
      ]);
    } catch (error) {
      return failed(event, codec.fail(event, messageOf(error)));
    } finally {
      clearTimeout(timer);
    }
  }

  async #answer(
    event: string,
    payload: JsonObject,
    toolUseId: string | undefined,
    signal: AbortSignal,
  ): Promise<JsonObject> {
    // Fired around the query; only a compaction begins a session anew inside one.
    if (event === "SessionStart" && payload.source !== "compact") return {};
    if (typeof payload.cwd === "string" && payload.cwd !== "") this.#session.moveTo(payload.cwd);
    if (event === "UserPromptSubmit") this.#startTurn(payload);
    const native = codec.parse(payload, { id: randomUUID(), at: new Date().toISOString(), env: {}, cwd: "", event });
    const id = toolUseId ?? idOf(payload);
    const outcomes =
      event === "PermissionRequest"
        ? await this.#permission(native, id, signal)
        : await this.#judge(native, this.#actor(payload), signal);
    if (event === "PreToolUse" && this.#options.suspend) return this.#deferring(native, outcomes, id, signal);
    const answer = answered(event, codec.render(native, outcomes));
    if (event !== "UserPromptSubmit" || answer.decision === "block") return answer;
    return this.#withStart(answer);
  }

  #startTurn({ permission_mode }: JsonObject): void {
    this.#session.setPermissionMode(permissionMode(permission_mode));
    this.#session.startTurn();
    this.#continuations = 0;
    this.deferrals.startTurn();
  }

  #withStart(answer: JsonObject): JsonObject {
    const context = started.get(this.#session) ?? [];
    started.delete(this.#session);
    if (context.length === 0) return answer;
    const told = contextText(context.map((text) => ({ hook: "session_start", text })));
    const said = (answer.hookSpecificOutput as { readonly additionalContext?: string } | undefined)?.additionalContext;
    const additionalContext = said === undefined ? told : `${told}\n${said}`;
    return { ...answer, hookSpecificOutput: { hookEventName: "UserPromptSubmit", additionalContext } };
  }

  /** The session of the sub-agent that a payload is about, or of the main agent. */
  #actor({ agent_id, agent_type }: JsonObject): Session {
    if (typeof agent_id !== "string" || agent_id === "") return this.#session;
    return this.#childOf(agent_id, typeof agent_type === "string" && agent_type !== "" ? agent_type : agent_id);
  }

  #childOf(id: string, agent: string): Session {
    const known = this.#children.get(id);
    if (known) return known;
    const child = this.#session.child({ agent });
    child.startTurn();
    this.#children.set(id, child);
    return child;
  }

  /** The events of a payload one after another, as the engine judges a host's: see engine/judge.ts. */
  async #judge(native: Native, actor: Session, signal: AbortSignal): Promise<readonly Outcome[]> {
    const outcomes: Outcome[] = [];
    for (const index of native.events.keys()) {
      const event = codec.current(native, outcomes)[index];
      if (!event) break;
      const outcome = await this.#fire(event, native, actor, signal);
      outcomes.push(outcome);
      if (outcome.decision.kind === "block") return outcomes;
    }
    const [first, ...later] = outcomes;
    const [runs] = later.length > 0 ? codec.current(native, outcomes) : [];
    if (!first || !runs || !("tool" in runs) || !("tool" in first.decision.final)) return outcomes;
    if (sameJson(first.decision.final.tool.input, runs.tool.input)) return outcomes;
    // A delegation's rewrite changed the call: its guards judge what will run.
    const { decision: again } = await this.#fire(runs, native, actor, signal);
    return again.kind === "block" || again.kind === "ask" ? [{ ...first, decision: again }, ...later] : outcomes;
  }

  async #fire(event: AgentEvent, native: Native, actor: Session, signal: AbortSignal): Promise<Outcome> {
    // A sub-agent's beginning and end are its caller's to know.
    const session = DELEGATING.includes(event.name) ? this.#session : actor;
    const { payload, problem } = this.#payloadOf(event, native);
    const fired = await session.fire(event.name, payload, signal, problem, !this.#options.suspend);
    if (event.name === "stop" && fired.kind === "continue") this.#continuations += 1;
    if (event.name === "pre_delegation" && fired.final.name === "pre_delegation" && fired.kind !== "block") {
      const { targetAgentId, objective } = fired.final;
      this.#requested.set(targetAgentId, [...(this.#requested.get(targetAgentId) ?? []), objective]);
    }
    return { event, decision: fired.decision };
  }

  #payloadOf(event: AgentEvent, native: Native): { payload: PayloadOf<EventName>; problem?: InputProblem } {
    const { id: _i, at: _a, host: _h, session: _s, turn: _t, agent: _g, parentAgent: _p, name, ...more } = event;
    const { cwd: _c, permissionMode: _m, model: _d, transcriptPath: _r, ...payload } = more;
    if (name === "stop") return { payload: { ...payload, continuations: this.#continuations } as never };
    if (name === "delegation_start" || name === "post_delegation") {
      return { payload: { ...payload, ...this.#delegationOf(event, native.payload) } as never };
    }
    if (!("tool" in event)) return { payload: payload as never };
    const { name: full, input, id } = event.tool;
    const own = this.#options.ownTools?.[full];
    const problem = own?.inputSchema ? rewriteProblem(own.inputSchema, input) : undefined;
    const tool = { name: own?.name ?? full, input, ...(id === undefined ? {} : { id }) };
    return { payload: { ...payload, tool } as never, ...(problem ? { problem } : {}) };
  }

  #delegationOf(event: AgentEvent, { agent_id, agent_type }: JsonObject): JsonObject {
    const id = String(agent_id ?? "");
    const agent = String(agent_type ?? "");
    if (event.name === "delegation_start") {
      this.#objectives.set(id, this.#requested.get(agent)?.shift() ?? "");
      return { objective: this.#objectives.get(id) ?? "" };
    }
    return { objective: this.#objectives.get(id) ?? "", childSessionId: this.#childOf(id, agent).id };
  }

  #permission(native: Native, id: string, signal: AbortSignal): Promise<readonly Outcome[]> {
    const key = id || canonicalJson([native.payload.tool_name ?? "", native.payload.tool_input ?? {}]);
    const known = this.#permissions.get(key);
    if (known) return known;
    const judged = this.#judge(native, this.#actor(native.payload), signal);
    this.#permissions.set(key, judged);
    setTimeout(() => this.#permissions.delete(key), TIMEOUT_SECONDS * 1000).unref();
    return judged;
  }

  /** Asks the person, unless a hook on permission_request answered in their place. */
  async mayUse({ tool, input, signal, toolUseId = "", agentId, reason }: Asked): ReturnType<ClaudeGuard["canUseTool"]> {
    const deny = (message: string) => ({ behavior: "deny", message }) as const;
    try {
      const given = input as JsonObject;
      const payload = {
        hook_event_name: "PermissionRequest",
        tool_name: tool,
        tool_input: given,
        ...(agentId === undefined ? {} : { agent_id: agentId }),
      };
      const native = codec.parse(payload, { id: randomUUID(), at: new Date().toISOString(), env: {}, cwd: "" });
      const [outcome] = await this.#permission(native, toolUseId, signal ?? new AbortController().signal);
      if (outcome?.decision.kind === "block") return deny(outcome.decision.reasons[0]?.text ?? "");
      if (outcome?.decision.kind === "allow") return { behavior: "allow", updatedInput: input };
      const name = this.#options.ownTools?.[tool]?.name ?? tool;
      const question = reason ?? `${name} needs a person's permission`;
      const asked = {
        kind: "ask",
        reason: question,
        tool: { name, input: given, id: toolUseId },
        context: [],
      } as const;
      const refusal = await this.#actor(payload).refusal(asked, signal);
      return refusal === undefined ? { behavior: "allow", updatedInput: input } : deny(refusal);
    } catch (error) {
      return deny(`Blocked by holdfast: the person could not be asked: ${messageOf(error)}`);
    }
  }

  /** A call that waits as `defer`: the query ends and can be resumed in another process, where hooks are asked again. */
  async #deferring(native: Native, outcomes: readonly Outcome[], id: string, signal: AbortSignal): Promise<JsonObject> {
    const answer = answered("PreToolUse", codec.render(native, outcomes));
    const said = answer.hookSpecificOutput as JsonObject | undefined;
    const waiting = waitingIn(outcomes, id);
    if (!said || !waiting) return answer;
    const decided = await this.deferrals.decide(waiting, async () => {
      const [permission] = await this.#permission({ ...native, events: requests(native) }, id, signal);
      return permission?.decision;
    });
    return { hookSpecificOutput: { ...said, ...decided } };
  }
}

const DELEGATING: readonly EventName[] = [
  "pre_delegation",
  "delegation_start",
  "post_delegation",
  "delegation_failure",
];

const requests = ({ events }: Native): readonly AgentEvent[] =>
  events.flatMap((event) => (event.name === "pre_tool_use" ? [{ ...event, name: "permission_request" as const }] : []));

const idOf = ({ tool_use_id }: JsonObject): string => (typeof tool_use_id === "string" ? tool_use_id : "");
