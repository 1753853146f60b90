/** One conversation of an agent: it knows who acts, where and on whose behalf, and fires events in its name. */
import { randomUUID } from "node:crypto";
import { escapeText } from "../core/context.ts";
import { type Decision, leadingReason } from "../core/decision.ts";
import type { AgentEvent, EventContext, EventName, EventOf } from "../core/event.ts";
import type { JsonObject } from "../core/json.ts";
import type { EngineHost } from "./engine-host.ts";
import { type CalledTool, callTool, type ToolOutcome } from "./tool-call.ts";

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
  readonly #host: EngineHost;
  readonly #options: SessionOptions;
  #turn = "";
  #permissionMode: EventContext["permissionMode"];
  #modeOfTurn: EventContext["permissionMode"];

  constructor(host: EngineHost, options: SessionOptions) {
    this.#host = host;
    this.#options = options;
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

  startTurn(): string {
    this.#turn = randomUUID();
    this.#modeOfTurn = this.#permissionMode;
    return this.#turn;
  }

  /** Judges an event and does what the decision asks for: records, notices. */
  async fire<N extends EventName>(name: N, payload: PayloadOf<N>, signal?: AbortSignal): Promise<Fired<N>> {
    const event = this.#event(name, payload);
    const decision = await this.#host.judge(event, signal, this.#options.observeOnly);
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

  /** The session of a sub-agent: same hooks, same person, linked to this one. */
  child(options: SessionOptions & { readonly agent: string }): Session {
    const { agent, ...rest } = this.#options;
    const ancestors = agent === undefined ? rest.ancestors : [agent, ...(rest.ancestors ?? [])];
    const inherited = { ...rest, permissionMode: this.#modeOfTurn, ...(ancestors ? { ancestors } : {}) };
    return new Session(this.#host, {
      ...inherited,
      id: randomUUID(),
      ...(agent === undefined ? {} : { parentAgent: agent }),
      ...options,
    });
  }

  #event(name: EventName, payload: object): AgentEvent {
    const { agent, parentAgent, ancestors, user, organisation, model, transcriptPath, cwd } = this.#options;
    const { tool, ...rest } = payload as { tool?: ToolUse };
    const metadata = tool ? this.#metadataOf(tool) : this.#options.metadata;
    const context: EventContext = {
      id: randomUUID(),
      at: new Date().toISOString(),
      host: this.#host.id,
      session: this.id,
      turn: this.#turn,
      agent: agent ?? null,
      parentAgent: parentAgent ?? null,
      ...(ancestors ? { ancestors } : {}),
      cwd: cwd ?? this.#host.cwd,
      permissionMode: this.#modeOfTurn,
      model: model ?? "",
      transcriptPath: transcriptPath ?? null,
      ...(user === undefined ? {} : { user }),
      ...(organisation === undefined ? {} : { organisation }),
      ...(metadata === undefined ? {} : { metadata }),
    };
    const read = tool ? { tool: this.#host.tools.read(tool.name, tool.input, tool.id) } : {};
    return { ...context, name, ...rest, ...read } as AgentEvent;
  }

  #metadataOf({ name, input, metadata }: ToolUse): JsonObject | undefined {
    const known = { ...this.#options.metadata, ...this.#host.metadataOf(name, input), ...metadata };
    return Object.keys(known).length > 0 ? known : undefined;
  }
}
