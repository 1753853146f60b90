/** One agent's conversation: its messages, its session, what it may use, and who hears of it. */
import type { EventOf } from "../core/event.ts";
import type { Session } from "../embed/session.ts";
import { compact } from "./compaction.ts";
import { delegateTool } from "./delegation.ts";
import { runTurn, type TurnOptions, type TurnResult } from "./loop.ts";
import type { Message } from "./message.ts";
import type { Model, OfferedTool } from "./model.ts";
import type { PermissionMode } from "./permission-mode.ts";
import { expandSlashCommand } from "./slash-command.ts";
import type { Happening } from "./stream-event.ts";
import { offeredToModel, type Tool, type ToolPlace } from "./tools/tool.ts";

/** What makes one agent different from another of the same program. */
export interface Role {
  /** For agents that may delegate to it. */
  readonly description?: string;
  readonly instructions?: string;
  readonly model?: Model;
  readonly tools?: readonly Tool[];
  /** Says what is wrong with what it hands back. */
  readonly verify?: (summary: string) => Promise<string | undefined> | string | undefined;
}

/** What all conversations of one agent program share. */
export interface Workshop {
  readonly model: Model;
  readonly tools: readonly Tool[];
  readonly agents: Readonly<Record<string, Role>>;
  readonly slashCommands: Readonly<Record<string, string>>;
  readonly maxSteps: number;
  readonly contextTokens: number;
  readonly maxDepth: number;
  readonly place: Pick<ToolPlace, "cwd" | "env">;
  tell(session: Session, agent: string | null, happening: Happening): void;
  replayNotices(session: Session): Promise<void>;
}

export class Conversation {
  readonly session: Session;
  readonly role: Role;
  readonly messages: Message[];
  readonly #workshop: Workshop;
  readonly #name: string | null;
  readonly #depth: number;
  readonly #tools: readonly Tool[];
  readonly #ending = new AbortController();
  /** Those that have not ended. */
  readonly #children = new Set<Conversation>();
  #state: "new" | "idle" | "busy" | "ended" = "new";
  /** Fulfilled once what the conversation is busy with is over. */
  #over: Promise<unknown> = Promise.resolve();
  #next: string[] = [];
  #prompt: Message | undefined;
  #compactedLength = 0;

  constructor(
    workshop: Workshop,
    session: Session,
    { name = null, role = {}, depth = 0, messages }: ConversationStart = {},
  ) {
    this.#workshop = workshop;
    this.session = session;
    this.role = role;
    this.#name = name;
    this.#depth = depth;
    const tools = role.tools ?? workshop.tools;
    const mayDelegate = Object.keys(workshop.agents).length > 0 && depth < workshop.maxDepth;
    this.#tools = mayDelegate ? [...tools, delegateTool(this)] : tools;
    const instructions: Message[] = role.instructions ? [{ role: "system", text: role.instructions }] : [];
    this.messages = [...(messages ?? instructions)];
  }

  /** Once, before anything else. */
  async start(source: EventOf<"session_start">["source"]): Promise<void> {
    if (this.#state !== "new") throw new Error("the conversation has started already");
    this.#state = "idle";
    this.tell({ type: "session_created", source });
    if (source === "resume") await this.#workshop.replayNotices(this.session);
    const { context } = await this.session.fire("session_start", { source });
    this.tellModelNext(context);
  }

  /** One turn. It never throws for what a model, tool or hook did; how it ended is in the result. */
  async send(prompt: string, options: Partial<TurnOptions> = {}): Promise<TurnResult> {
    const { from = "person" } = options;
    const signal = this.#unlessEnded(options.signal);
    const said = from === "person" ? expandSlashCommand(prompt, this.#workshop.slashCommands) : prompt;
    const result = await this.#exclusively(() => this.#endedTurn(said, { signal, from }));
    this.tell({ type: "turn_ended", ...result });
    return result;
  }

  async #endedTurn(prompt: string, options: TurnOptions): Promise<TurnResult> {
    try {
      const result = await runTurn(this, prompt, options);
      return options.signal.aborted ? CANCELLED : result;
    } catch (error) {
      if (options.signal.aborted) return CANCELLED;
      const message = error instanceof Error ? error.message : String(error);
      this.tell({ type: "error", message });
      return { status: "failed", text: message };
    } finally {
      this.#prompt = undefined;
    }
  }

  /** Because the person asks for it. The reason, where a hook refuses. */
  compact(signal?: AbortSignal): Promise<string | undefined> {
    return this.#exclusively(() => compact(this, "manual", this.#unlessEnded(signal)));
  }

  /** Holds from the next turn on. */
  setMode(mode: PermissionMode): void {
    this.session.setPermissionMode(mode);
  }

  get hasEnded(): boolean {
    return this.#state === "ended";
  }

  /** What it and its sub-agents are busy with is cancelled first: nothing happens in a session that is over. */
  async end(reason: string): Promise<void> {
    if (this.#state === "ended" || this.#state === "new") return;
    this.#state = "ended";
    this.#ending.abort();
    await Promise.all([this.#over, ...[...this.#children].map((child) => child.end("its parent ended"))]);
    await this.session.fire("session_end", { reason });
    this.tell({ type: "session_ended", reason });
  }

  /** A sub-agent's: same hooks, same person, same mode. */
  child(name: string, role: Role): Conversation {
    const { model } = role;
    const session = this.session.child({ agent: name, ...(model ? { model: model.id } : {}) });
    const child = new Conversation(this.#workshop, session, { name, role, depth: this.#depth + 1 });
    this.#children.add(child);
    child.#ending.signal.addEventListener("abort", () => this.#children.delete(child), { once: true });
    return child;
  }

  readonly tell = (happening: Happening): void => this.#workshop.tell(this.session, this.#name, happening);

  get model(): Model {
    return this.role.model ?? this.#workshop.model;
  }

  get maxSteps(): number {
    return this.#workshop.maxSteps;
  }

  get contextTokens(): number {
    return this.#workshop.contextTokens;
  }

  get place(): Pick<ToolPlace, "cwd" | "env"> {
    return this.#workshop.place;
  }

  get offeredTools(): readonly OfferedTool[] {
    return this.#tools.map(offeredToModel);
  }

  get toolNames(): readonly string[] {
    return this.#tools.map(({ name }) => name);
  }

  toolNamed(name: string): Tool | undefined {
    return this.#tools.find((tool) => tool.name === name);
  }

  get roleDescriptions(): string {
    const roles = Object.entries(this.#workshop.agents);
    return roles.map(([name, { description }]) => (description ? `${name} (${description})` : name)).join(", ");
  }

  /** Throws where there is none. */
  roleNamed(name: string): Role {
    const { agents } = this.#workshop;
    const role = Object.hasOwn(agents, name) ? agents[name] : undefined;
    if (!role) throw new Error(`there is no agent "${name}"; there are: ${Object.keys(agents).join(", ")}`);
    return role;
  }

  /** Kept until the model is shown something the next time. */
  tellModelNext(context: readonly string[]): void {
    this.#next.push(...context);
  }

  takeContext(): readonly string[] {
    return this.#next.splice(0);
  }

  promptMessage(text: string, from: TurnOptions["from"]): Message {
    this.#prompt = { role: "user", text, ...(from === "agent" ? { from } : {}) };
    return this.#prompt;
  }

  /** Whether there is anything that a summary does not hold yet. */
  get hasGrownSinceCompaction(): boolean {
    return this.messages.slice(this.#compactedLength).some(({ role }) => role === "assistant");
  }

  /** Instructions and the prompt that is being worked on stay as they are. */
  replaceBySummary(summary: Message): void {
    const instructions = this.messages.filter(({ role }) => role === "system");
    const prompt = this.#prompt ? [this.#prompt] : [];
    this.messages.splice(0, this.messages.length, ...instructions, summary, ...prompt);
    this.#compactedLength = this.messages.length;
  }

  async #exclusively<T>(work: () => Promise<T>): Promise<T> {
    if (this.#state !== "idle") throw new Error(WHY_NOT[this.#state]);
    this.#state = "busy";
    const working = work();
    this.#over = working.catch(() => {});
    try {
      return await working;
    } finally {
      if (this.#state === "busy") this.#state = "idle";
    }
  }

  #unlessEnded(signal: AbortSignal | undefined): AbortSignal {
    return signal ? AbortSignal.any([signal, this.#ending.signal]) : this.#ending.signal;
  }
}

interface ConversationStart {
  readonly name?: string | null;
  readonly role?: Role;
  readonly depth?: number;
  readonly messages?: readonly Message[] | undefined;
}

const CANCELLED: TurnResult = { status: "cancelled", text: "the turn was cancelled" };

const WHY_NOT = {
  new: "the conversation has not started",
  busy: "the conversation is busy with another turn; wait for it or cancel it",
  ended: "the conversation has ended",
} as const;
