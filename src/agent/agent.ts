/** The reference agent: small, whole, and guarded by the hooks that guard every other agent a person runs. */
import { resolve } from "node:path";
import { createHoldfast, type HoldfastOptions, type NoticeRecord } from "../embed/holdfast.ts";
import type { SessionOptions } from "../embed/session.ts";
import type { PersonAnswer, Question } from "../embed/tool-call.ts";
import type { ToolDescriptions } from "../embed/tools.ts";
import { Conversation, type Role, type Workshop } from "./conversation.ts";
import { DELEGATE } from "./delegation.ts";
import type { Message } from "./message.ts";
import type { Model } from "./model.ts";
import type { StreamEvent } from "./stream-event.ts";
import { STANDARD_TOOLS } from "./tools/standard-tools.ts";
import { describedForHooks, type Tool } from "./tools/tool.ts";
import { unlessAborted } from "./unless-aborted.ts";

export interface AgentOptions extends Omit<HoldfastOptions, "tools" | "onNotice"> {
  readonly model: Model;
  readonly instructions?: string;
  /** Default: shell, read, write, edit and search in the working directory. */
  readonly tools?: readonly Tool[];
  /** Who may be delegated to, by name. */
  readonly agents?: Readonly<Record<string, Role>>;
  /** `/name rest` in a prompt becomes the text, `$ARGUMENTS` in it the rest. */
  readonly slashCommands?: Readonly<Record<string, string>>;
  readonly onEvent?: (event: StreamEvent) => void;
  /** How often the model is asked in one turn. */
  readonly maxSteps?: number;
  /** A conversation of more tokens than this, by our estimate, is compacted. */
  readonly contextTokens?: number;
  /** How deep delegations may go. */
  readonly maxDepth?: number;
}

export interface OpenOptions extends SessionOptions {
  /** The messages of an earlier conversation, which goes on. Its `id` should be given too. */
  readonly messages?: readonly Message[];
}

export interface Agent {
  /** A conversation that has started: hooks on session_start were asked. */
  open(options?: OpenOptions): Promise<Conversation>;
  /** What was noticed about hooks in a session, from the records. */
  notices(session: string): Promise<readonly NoticeRecord[]>;
  close(): Promise<void>;
}

export async function createAgent(options: AgentOptions): Promise<Agent> {
  const { model, instructions, tools = STANDARD_TOOLS, agents = {}, slashCommands = {}, ...others } = options;
  const { onEvent = () => {}, maxSteps = 50, contextTokens = 100_000, maxDepth = 3, ...ofHoldfast } = others;
  const { ask } = ofHoldfast;
  const cwd = resolve(options.cwd ?? process.cwd());
  const env = options.env ?? { ...process.env };
  const tell = (event: StreamEvent) => {
    try {
      onEvent(event);
    } catch (error) {
      // Whoever watches cannot change what happens.
      const remark = `onEvent failed on ${event.type}: ${error instanceof Error ? error.message : error}`;
      if (options.onRemark) options.onRemark(remark);
      else process.emitWarning(remark);
    }
  };
  const names = new Map<string, string | null>();
  const tellNotice = (notice: NoticeRecord, replayed: boolean) =>
    tell({ session: notice.session, agent: names.get(notice.session) ?? null, type: "notice", notice, replayed });

  const holdfast = await createHoldfast({
    ...ofHoldfast,
    host: options.host ?? "holdfast-agent",
    cwd,
    env,
    tools: descriptions([tools, ...Object.values(agents).flatMap((role) => role.tools ?? [])].flat()),
    onNotice: (notice) => tellNotice(notice, false),
    onAwaitingConfirmation(waiting) {
      const { session } = waiting;
      tell({ session, agent: names.get(session) ?? null, type: "awaiting_confirmation", waiting });
      return options.onAwaitingConfirmation?.(waiting);
    },
    ...(ask ? { ask: (question: Question) => askPerson(question, ask) } : {}),
  });
  const workshop: Workshop = {
    model,
    tools,
    agents,
    slashCommands,
    maxSteps,
    contextTokens,
    maxDepth,
    place: { cwd, env },
    tell(session, agent, happening) {
      names.set(session.id, agent);
      tell({ session: session.id, agent, ...happening });
    },
    async replayNotices({ id }) {
      for (const notice of await holdfast.notices(id)) tellNotice(notice, true);
    },
  };
  return {
    async open({ messages, ...given } = {}) {
      const session = holdfast.session({ model: model.id, ...given });
      const role = instructions === undefined ? {} : { instructions };
      const conversation = new Conversation(workshop, session, { role, messages });
      await conversation.start(messages ? "resume" : "startup");
      return conversation;
    },
    notices: (session) => holdfast.notices(session),
    close: () => holdfast.close(),
  };
}

/** A person is called, then asked; a turn that is cancelled waits for nobody. */
async function askPerson(question: Question, ask: NonNullable<AgentOptions["ask"]>): Promise<PersonAnswer> {
  const { session, reason, tool, signal = new AbortController().signal } = question;
  await session.fire("notification", { kind: "permission", message: `${tool.name}: ${reason}` }, signal);
  return unlessAborted(ask(question), signal).catch((error) => {
    if (signal.aborted) return { allow: false, reason: "the turn was cancelled" };
    throw error;
  });
}

function descriptions(tools: readonly Tool[]): ToolDescriptions {
  const byName = new Map<string, Tool>();
  for (const tool of tools) {
    const other = byName.get(tool.name);
    if (tool.name === DELEGATE || (other && other !== tool)) {
      throw new Error(`two tools are called "${tool.name}"; hooks could not tell them apart`);
    }
    byName.set(tool.name, tool);
  }
  return {
    ...Object.fromEntries([...byName].map(([name, tool]) => [name, describedForHooks(tool)])),
    [DELEGATE]: { kind: "delegate", required: ["target_agent_id", "objective"] },
  };
}
