/** One conversation of an agent: it knows who acts, where and on whose behalf, and fires events in its name. */
import { randomUUID } from "node:crypto";
import { escapeText } from "../core/context.ts";
import { type Decision, leadingReason } from "../core/decision.ts";
import { type AgentEvent, type EventContext, type EventName, type EventOf, eventRow } from "../core/event.ts";
import type { JsonObject } from "../core/json.ts";
import type { ToolReader } from "../core/rewrite.ts";
import { subAgentSession } from "../core/session-tree.ts";
import type { ToolCall } from "../core/tool.ts";
import type { Vocabulary } from "../hosts/tool-vocabulary.ts";
import { noSuchEvent } from "./checked-options.ts";
import { type Delegated, type Delegation, delegate } from "./delegation.ts";
import type { EngineHost } from "./engine-host.ts";
import { ownCall, ownJson, ownOutput } from "./own-json.ts";
import {
  type CalledTool,
  callTool,
  type InputProblem,
  type JudgedCall,
  judgeCall,
  type PersonAnswer,
  refusalOf,
  type ToolOutcome,
} from "./tool-call.ts";
import { type McpTool, readerOf } from "./tools.ts";

export interface SessionOptions {
  readonly id?: string;
  /** The agent that acts; absent: the main agent. */
  readonly agent?: string;
  readonly parentAgent?: string;
  readonly user?: string;
  readonly organisation?: string;
  readonly metadata?: JsonObject;
  readonly model?: string;
  readonly permissionMode?: EventContext["permissionMode"];
  readonly transcriptPath?: string;
  /** Why hooks only observe in this session (an evaluation, say). Recorded with every decision; managed rules still hold. */
  readonly observeOnly?: string;
  /** The agents above this one, the nearest first. `child` fills it in. */
  readonly ancestors?: readonly string[];
  /** Where the agent works, if not where Holdfast was created for. */
  readonly cwd?: string;
}

/** What an event carries besides who, where and when. */
export type PayloadOf<N extends EventName> = Omit<EventOf<N>, keyof EventContext | "name" | "tool"> &
  (EventOf<N> extends { tool: unknown } ? { readonly tool: ToolUse } : unknown);

/** A call as the embedder knows it. */
export interface ToolUse {
  readonly name: string;
  readonly input: JsonObject;
  readonly id?: string;
  /** What is known of this one call, for hooks: `requires_confirmation`, `readOnlyHint`. */
  readonly metadata?: JsonObject;
  /** Of a tool of an MCP server, where more is known of it than its name says. */
  readonly mcp?: McpTool;
}

export interface Fired<N extends EventName = EventName> {
  readonly kind: Decision["kind"];
  /** Why, in the words for the model; empty where there is nothing to say. */
  readonly reason: string;
  /** What the model is to be told, each piece once a session. */
  readonly context: readonly string[];
  /** The event as it stands after every rewrite: what will run, or what the model sees. */
  readonly final: EventOf<N>;
  readonly isRewritten: boolean;
  readonly decision: Decision;
}

export class Session {
  readonly id: string;
  /** What a person answered once and for all; sub-agents go by it too. */
  readonly answers: Map<string, PersonAnswer>;
  readonly #host: EngineHost;
  readonly #options: SessionOptions;
  #tools: ToolReader;
  #cwd: string;
  #turn = "";
  #permissionMode: EventContext["permissionMode"];
  #modeOfTurn: EventContext["permissionMode"];

  constructor(host: EngineHost, options: SessionOptions, answers = new Map<string, PersonAnswer>()) {
    this.answers = answers;
    this.#host = host;
    const { metadata } = options;
    this.#options = metadata ? { ...options, metadata: ownJson(metadata) as JsonObject } : options;
    this.#tools = host.tools;
    this.#cwd = options.cwd ?? host.cwd;
    this.id = options.id ?? randomUUID();
    this.#permissionMode = options.permissionMode ?? "default";
    this.#modeOfTurn = this.#permissionMode;
  }

  get turn(): string {
    return this.#turn;
  }

  get permissionMode(): EventContext["permissionMode"] {
    return this.#modeOfTurn;
  }

  /** Seen from the next turn on: hooks of one turn all see one mode. */
  setPermissionMode(mode: EventContext["permissionMode"]): void {
    this.#permissionMode = mode;
  }

  /** Tools that whoever runs the agent brings itself, and knows better than the descriptions do. */
  knowTools(own: Vocabulary): void {
    const { tools } = this.#host;
    const of = (name: string) => (own.knows(name) ? own : tools);
    this.#tools = {
      read: (name, input, id) => of(name).read(name, input, id),
      problem: (name, input) => of(name).problem?.(name, input),
    };
  }

  /** The agent works elsewhere from now on. */
  moveTo(cwd: string): void {
    this.#cwd = cwd;
  }

  startTurn(): string {
    this.#turn = randomUUID();
    this.#modeOfTurn = this.#permissionMode;
    return this.#turn;
  }

  /** Judges an event and does what the decision asks for: records, notices. */
  async fire<N extends EventName>(
    name: N,
    payload: PayloadOf<N>,
    signal?: AbortSignal,
    problem?: InputProblem,
    hold?: boolean,
  ): Promise<Fired<N>> {
    if (eventRow(name) === undefined) throw noSuchEvent(name);
    const { tool: called, ...rest } = payload as { tool?: ToolUse };
    const tool = called && ownCall(called);
    const tools = readerOf(tool?.mcp, this.#tools);
    const known = tool ? this.#metadataOf(tool, signal) : this.#options.metadata;
    const metadata = known instanceof Promise ? await known : known;
    const event = this.#event(name, rest, tool && tools.read(tool.name, tool.input, tool.id), metadata);
    const { observeOnly } = this.#options;
    const decision = await this.#host.judge(event, { signal, problem, tools, observeOnly, hold });
    return {
      kind: decision.kind,
      reason: leadingReason(decision) ?? "",
      context: decision.context.map(({ text }) => escapeText(text)),
      final: decision.final as EventOf<N>,
      isRewritten: decision.rewrite !== undefined,
      decision,
    };
  }

  /** A tool call from the first hook to the last: asked about, run, looked at. */
  callTool(tool: CalledTool): Promise<ToolOutcome> {
    return callTool(this, this.#host, tool);
  }

  /** The first half of `callTool`, for SDKs that want to know before they run a tool: pass it on as `judged`. */
  judgeTool(tool: Omit<CalledTool, "run">): Promise<JudgedCall> {
    return judgeCall(this, tool);
  }

  /** Asks the person about a call that hooks ask about: why it may not run; undefined: it may. */
  refusal(judged: JudgedCall, signal?: AbortSignal): Promise<string | undefined> {
    return refusalOf(this, this.#host, signal ? { signal } : {}, judged);
  }

  /** The run is suspended now, and a person is asked all of `judged`. Their answer is `answered` of `callTool`. */
  suspendedWith(judged: JudgedCall, at?: number): void {
    this.#host.questions.put(this.id, judged, at);
  }

  /** Whether who answered a suspension of this call was asked everything that hooks ask now. */
  wasAsked(judged: JudgedCall, at?: number): boolean {
    return this.#host.questions.covers(this.id, judged, at);
  }

  /** How often a call was suspended with questions. */
  suspensionsOf(callId: string | undefined): number {
    return this.#host.questions.count(this.id, callId);
  }

  /** A call that was suspended is over. */
  forgetQuestions(callId: string | undefined): void {
    this.#host.questions.forget(this.id, callId);
  }

  /** Asks a sub-agent, from the first hook to the last. */
  delegate(delegation: Delegation): Promise<Delegated> {
    return delegate(this, delegation);
  }

  /** The session of a sub-agent: same hooks, same person, linked to this one. */
  child(options: Omit<SessionOptions, "id"> & { readonly agent: string }): Session {
    const { agent, ...rest } = this.#options;
    const ancestors = agent === undefined ? rest.ancestors : [agent, ...(rest.ancestors ?? [])];
    const inherited = { ...rest, permissionMode: this.#modeOfTurn, ...(ancestors ? { ancestors } : {}) };
    const linked = {
      ...inherited,
      cwd: this.#cwd,
      ...(agent === undefined ? {} : { parentAgent: agent }),
      ...options,
      // What people refused the one above holds here too: no other id would tell.
      id: subAgentSession(this.id, randomUUID()),
    };
    const child = new Session(this.#host, linked, this.answers);
    child.#tools = this.#tools;
    return child;
  }

  #event(name: EventName, given: object, tool: ToolCall | undefined, metadata: JsonObject | undefined): AgentEvent {
    const { agent, parentAgent, ancestors, user, organisation, model, transcriptPath } = this.#options;
    const rest = name === "post_tool_use" ? seenOutput(given as GivenOutput) : given;
    return {
      name,
      id: randomUUID(),
      at: new Date().toISOString(),
      host: this.#host.id,
      session: this.id,
      turn: this.#turn,
      agent: agent ?? null,
      parentAgent: parentAgent ?? null,
      ...(ancestors ? { ancestors } : {}),
      cwd: this.#cwd,
      permissionMode: this.#modeOfTurn,
      model: model ?? "",
      transcriptPath: transcriptPath ?? null,
      ...(user === undefined ? {} : { user }),
      ...(organisation === undefined ? {} : { organisation }),
      ...(metadata === undefined ? {} : { metadata }),
      ...rest,
      ...(tool ? { tool } : {}),
    } as AgentEvent;
  }

  /** Whether a person must confirm the call, by what its description says of this input. */
  async requiresConfirmation(tool: ToolUse, signal?: AbortSignal): Promise<boolean> {
    const { name, input } = ownCall(tool);
    return (await this.#host.metadataOf(name, input, signal)).requires_confirmation === true;
  }

  #metadataOf(
    { name, input, metadata }: ToolUse,
    signal: AbortSignal | undefined,
  ): JsonObject | undefined | Promise<JsonObject | undefined> {
    const together = (described: JsonObject) => {
      const known = { ...this.#options.metadata, ...described, ...metadata };
      return Object.keys(known).length > 0 ? known : undefined;
    };
    const described = this.#host.metadataOf(name, input, signal);
    return described instanceof Promise ? described.then(together) : together(described);
  }
}

type GivenOutput = PayloadOf<"post_tool_use">;

const seenOutput = (given: GivenOutput) => ({ ...given, ...ownOutput(given.response, given.failed) });
