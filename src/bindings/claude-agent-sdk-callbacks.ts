/** The SDK's callbacks, answered: payloads are read and answers written by the codec of Claude Code, whose hooks these are. */
import { randomUUID } from "node:crypto";
import type { AgentEvent, EventName } from "../core/event.ts";
import { canonicalJson, type Json, type JsonObject, sameJson } from "../core/json.ts";
import type { PayloadOf, Session } from "../embed/session.ts";
import type { InputProblem, PersonAnswer } from "../embed/tool-call.ts";
import { contextText } from "../hosts/answer-text.ts";
import { codec } from "../hosts/claude-code/codec.ts";
import { tools as vocabulary } from "../hosts/claude-code/tools.ts";
import { permissionMode } from "../hosts/event-readers.ts";
import type { Native, Outcome } from "../hosts/host.ts";
import { answered, failed } from "./claude-agent-sdk-answers.ts";
import { Deferrals, waitingIn } from "./claude-agent-sdk-deferrals.ts";
import { SubAgents } from "./claude-agent-sdk-sub-agents.ts";
import { messageOf } from "./hook-context.ts";
import { rewriteProblem } from "./rewrite-problem.ts";

export interface ClaudeGuardOptions {
  /** Tools of in-process MCP servers, by the name Claude gives them (`mcp__server__tool`): what rules call them, and their schema. */
  readonly ownTools?: Readonly<Record<string, { readonly name: string; readonly inputSchema?: JsonObject }>>;
  /** Where hooks ask, the query ends (`deferred_tool_use`) and is resumed with `answers`. Default: ask in process. */
  readonly suspend?: boolean;
  /** What people said to deferred calls, by tool_use_id. */
  readonly answers?: Readonly<Record<string, PersonAnswer>>;
}

/** Ours ends before the SDK's does: only of a tool call does a callback that is late stop what it guards. */
export const TIMEOUT_SECONDS = 120;

/** What session_start told: there is no callback for it, so it goes with the first prompt. */
export const started = new WeakMap<Session, readonly string[]>();

/** What canUseTool answers. */
export type Permission =
  | { readonly behavior: "allow"; readonly updatedInput: Record<string, unknown> }
  | { readonly behavior: "deny"; readonly message: string };

interface Asked {
  readonly tool: string;
  readonly input: Record<string, unknown>;
  readonly signal?: AbortSignal;
  readonly toolUseId?: string;
  readonly agentId?: string;
  readonly reason?: string;
}

export class ClaudeCallbacks {
  readonly deferrals: Deferrals;
  readonly #session: Session;
  readonly #options: ClaudeGuardOptions;
  readonly #subAgents: SubAgents;
  /** The hook and canUseTool run at once: both go by one decision. */
  readonly #permissions = new Map<string, Promise<readonly Outcome[]>>();
  /** What hooks left calls to run with, until they have run: hooks of settings files may change them after us. */
  readonly #judgedInputs = new Map<string, readonly Json[]>();
  #continuations = 0;

  constructor(session: Session, options: ClaudeGuardOptions) {
    this.#session = session;
    this.#options = options;
    this.#subAgents = new SubAgents(session);
    this.deferrals = new Deferrals(session, options.answers ?? {});
    session.knowTools({ ...vocabulary, knows: (name) => !name.startsWith("mcp__") && vocabulary.knows(name) });
  }

  called(event: string, input: JsonObject, toolUseId: string | undefined, signal: AbortSignal): Promise<JsonObject> {
    return this.#inTime(event, signal, (within) => this.#answer(event, input, toolUseId, within));
  }

  /**
   * What a hook of the program's own made of a call, or of its output. The SDK keeps one deferral a call, and that is of
   * the call as the model made it: where this one would wait, it is blocked.
   */
  async calledAgain(
    event: string,
    input: JsonObject,
    toolUseId: string | undefined,
    signal: AbortSignal,
  ): Promise<JsonObject> {
    const answer = await this.#inTime(event, signal, (within) => this.#answer(event, input, toolUseId, within, false));
    const said = answer.hookSpecificOutput as JsonObject | undefined;
    if (!this.#options.suspend || said?.permissionDecision !== "ask") return answer;
    const permissionDecisionReason = `${said.permissionDecisionReason} ${CHANGED}`;
    return { ...answer, hookSpecificOutput: { ...said, permissionDecision: "deny", permissionDecisionReason } };
  }

  /** Never throws, and always answers before the SDK stops waiting. */
  async #inTime(
    event: string,
    signal: AbortSignal,
    answer: (signal: AbortSignal) => Promise<JsonObject>,
  ): Promise<JsonObject> {
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), (TIMEOUT_SECONDS - 5) * 1000);
    const tooLate = new Promise<never>((_, reject) => {
      late.signal.addEventListener("abort", () => reject(new Error("hooks took too long")), { once: true });
    });
    try {
      return await Promise.race([answer(AbortSignal.any([signal, late.signal])), tooLate]);
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
    canWait = true,
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
        : await this.#judge(native, this.#subAgents.actor(payload), signal);
    this.#noteInput(event, id, native, outcomes);
    if (event === "PreToolUse" && this.#options.suspend && canWait)
      return this.#deferring(native, outcomes, id, signal);
    const answer = answered(event, codec.render(native, outcomes));
    if (event !== "UserPromptSubmit" || answer.decision === "block") return answer;
    return this.#withStart(answer);
  }

  #noteInput(event: string, id: string, native: Native, outcomes: readonly Outcome[]): void {
    if (event === "PostToolUse" || event === "PostToolUseFailure") this.#judgedInputs.delete(id);
    const [runs] = codec.current(native, outcomes);
    // What is blocked never runs, and nothing would forget it.
    const isBlocked = outcomes.some(({ decision }) => decision.kind === "block");
    if (event !== "PreToolUse" || isBlocked || !runs || !("tool" in runs)) return;
    this.#judgedInputs.set(id, [...(this.#judgedInputs.get(id) ?? []), runs.tool.input]);
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
      this.#subAgents.requested(fired.final);
    }
    return { event, decision: fired.decision };
  }

  #payloadOf(event: AgentEvent, native: Native): { payload: PayloadOf<EventName>; problem?: InputProblem } {
    const { id: _i, at: _a, host: _h, session: _s, turn: _t, agent: _g, parentAgent: _p, name, ...more } = event;
    const { cwd: _c, permissionMode: _m, model: _d, transcriptPath: _r, ...payload } = more;
    if (name === "stop") return { payload: { ...payload, continuations: this.#continuations } as never };
    if (name === "delegation_start" || name === "post_delegation") {
      return { payload: { ...payload, ...this.#subAgents.delegationOf(event, native.payload) } as never };
    }
    if (!("tool" in event)) return { payload: payload as never };
    const { name: full, input, id } = event.tool;
    const own = this.#options.ownTools?.[full];
    const problem = own?.inputSchema ? rewriteProblem(own.inputSchema, input) : undefined;
    const tool = { name: own?.name ?? full, input, ...(id === undefined ? {} : { id }) };
    return { payload: { ...payload, tool } as never, ...(problem ? { problem } : {}) };
  }

  #permission(native: Native, id: string, signal: AbortSignal): Promise<readonly Outcome[]> {
    const key = id || canonicalJson([native.payload.tool_name ?? "", native.payload.tool_input ?? {}]);
    const known = this.#permissions.get(key);
    if (known) return known;
    const judged = this.#judge(native, this.#subAgents.actor(native.payload), signal);
    this.#permissions.set(key, judged);
    setTimeout(() => this.#permissions.delete(key), TIMEOUT_SECONDS * 1000).unref();
    return judged;
  }

  /** Asks the person, unless a hook on permission_request answered in their place. */
  async mayUse({ tool, input, signal, toolUseId = "", agentId, reason }: Asked): Promise<Permission> {
    const deny = (message: string) => {
      this.#judgedInputs.delete(toolUseId);
      return { behavior: "deny", message } as const;
    };
    try {
      const given = input as JsonObject;
      const barred = await this.#changedSince(given, { tool, toolUseId, agentId, signal });
      if (barred !== undefined) return deny(barred);
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
      const refusal = await this.#subAgents.actor(payload).refusal(asked, signal);
      return refusal === undefined ? { behavior: "allow", updatedInput: input } : deny(refusal);
    } catch (error) {
      return deny(`Blocked by holdfast: the person could not be asked: ${messageOf(error)}`);
    }
  }

  /** Why a call may not run that somebody changed after hooks had looked at it; undefined: it may, if a person says so. */
  async #changedSince(
    input: JsonObject,
    { tool, toolUseId, agentId, signal = new AbortController().signal }: Changed,
  ): Promise<string | undefined> {
    const judged = this.#judgedInputs.get(toolUseId);
    if (judged === undefined || judged.some((known) => sameJson(known, input))) return undefined;
    const agent = agentId === undefined ? {} : { agent_id: agentId };
    const payload = { hook_event_name: "PreToolUse", tool_name: tool, tool_input: input, ...agent };
    const { decision, reason, hookSpecificOutput } = await this.calledAgain("PreToolUse", payload, toolUseId, signal);
    const said = (hookSpecificOutput ?? {}) as JsonObject;
    if (decision === "block" || said.permissionDecision === "deny")
      return String(reason ?? said.permissionDecisionReason);
    return said.updatedInput === undefined ? undefined : CHANGED_TWICE;
  }

  /** A call that waits as `defer`: the query ends and can be resumed in another process, where hooks are asked again. */
  async #deferring(native: Native, outcomes: readonly Outcome[], id: string, signal: AbortSignal): Promise<JsonObject> {
    const answer = answered("PreToolUse", codec.render(native, outcomes));
    const said = answer.hookSpecificOutput as JsonObject | undefined;
    const current = codec.current(native, outcomes);
    const [runs] = current;
    const waiting = waitingIn(outcomes, id, runs && "tool" in runs ? runs.tool.input : undefined);
    if (!said || !waiting) {
      this.deferrals.isOver(id);
      return answer;
    }
    const decided = await this.deferrals.decide(waiting, async () => {
      const [permission] = await this.#permission({ ...native, events: requests(current) }, id, signal);
      return permission?.decision;
    });
    return { hookSpecificOutput: { ...said, ...decided } };
  }
}

type Changed = Pick<Asked, "tool"> & {
  readonly toolUseId: string;
  readonly agentId: string | undefined;
  readonly signal: AbortSignal | undefined;
};

const CHANGED_TWICE =
  "Another hook changed this call after hooks had looked at it, and they would change it again: neither is known to be harmless.";

const CHANGED = "A hook of the program's own changed this call, and a changed call cannot wait for a person.";

const DELEGATING: readonly EventName[] = [
  "pre_delegation",
  "delegation_start",
  "post_delegation",
  "delegation_failure",
];

const requests = (events: readonly AgentEvent[]): readonly AgentEvent[] =>
  events.flatMap((event) => (event.name === "pre_tool_use" ? [{ ...event, name: "permission_request" as const }] : []));

const idOf = ({ tool_use_id }: JsonObject): string => (typeof tool_use_id === "string" ? tool_use_id : "");
