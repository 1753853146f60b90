/** Which agents and tools are guarded: all that can be reached from the agent given. What cannot be wrapped is refused, not passed. */
import { wholeSession } from "../core/session-tree.ts";
import type { Session } from "../embed/session.ts";
import { withContext } from "./hook-context.ts";
import { GuardedCalls } from "./openai-agents-calls.ts";
import { handOver } from "./openai-agents-handoff.ts";
import type { FunctionTool, Handoff, OpenAiAgent, RunContext, Tool } from "./openai-agents-shapes.ts";
import { guardFound } from "./openai-agents-tool-search.ts";
import { rejectedIn } from "./openai-agents-values.ts";

export interface OpenAiGuardOptions {
  /** Where hooks ask, the run ends with an interruption, to be resumed when a person has answered. Default: ask in process. */
  readonly suspend?: boolean;
  /** Names or types of tools that run on OpenAI's side or in ways nobody can look at, which you accept. */
  readonly unguarded?: readonly string[];
}

interface Copy {
  readonly original: OpenAiAgent;
  readonly by: AgentGuard;
  readonly session: string;
}

const questions = new WeakMap<object, ReadonlyMap<string, string>>();
/** The guarded agents, each a copy of the one it was made from. */
const copies = new WeakMap<object, Copy>();
/** For which session: of another one neither the rules nor what people answered are gone by. */
const guardedTools = new WeakMap<object, string>();

/** What a person is to be asked about a call of a guarded agent. */
export const questionAbout = (agent: object, callId: string): string | undefined => questions.get(agent)?.get(callId);

export class AgentGuard {
  readonly #calls: GuardedCalls;
  readonly #options: OpenAiGuardOptions;
  readonly #agents = new Map<OpenAiAgent, OpenAiAgent>();
  /** What hooks said of handoffs, and why one did not take place: its result only names the agent that goes on. */
  readonly #notes = new WeakMap<RunContext, string[]>();
  readonly #rejected = new Set<string>();

  constructor(root: Session, options: OpenAiGuardOptions) {
    this.#options = options;
    this.#calls = new GuardedCalls(root, options.suspend ?? false);
  }

  agent(original: OpenAiAgent, session: Session): OpenAiAgent {
    const known = this.#agents.get(original);
    if (known) return known;
    const made = copies.get(original);
    if (made) {
      if (made.session !== wholeSession(session.id)) throw new Error(guardedAlready(original));
      return made.by === this ? original : this.agent(made.original, session);
    }
    const guarded: OpenAiAgent = original.clone({ tools: [], handoffs: [] });
    const { getMcpTools, getEnabledHandoffs, getSystemPrompt, asTool } = guarded;
    keepGuarded(guarded, "tools", (tool: Tool) => this.#tool(tool, session));
    // RunState finds agents again by these lists: what stands here is what goes on after a restart.
    keepGuarded(guarded, "handoffs", (target: OpenAiAgent | Handoff) => this.#target(target, session));
    this.#agents.set(original, guarded);
    questions.set(guarded, this.#calls.questions);
    copies.set(guarded, { original, by: this, session: wholeSession(session.id) });
    guarded.tools = original.tools;
    guarded.handoffs = original.handoffs;
    guarded.getMcpTools = async (...args) => {
      const tools: Tool[] = await getMcpTools.apply(guarded, args);
      return tools.map((tool) => this.#tool(tool, session));
    };
    guarded.getEnabledHandoffs = async (...args) => {
      const handoffs: Handoff[] = await getEnabledHandoffs.apply(guarded, args);
      return handoffs.map((handoff) => this.#handoff(handoff, guarded, session));
    };
    guarded.getSystemPrompt = async (...args) => {
      this.#forgetRejected(args[0], session);
      const prompt = await getSystemPrompt.apply(guarded, args);
      const notes = this.#notes.get(args[0]) ?? [];
      return notes.length > 0 ? withContext(prompt ?? "", notes) : prompt;
    };
    guarded.asTool = (given) => this.#agentTool(asTool.call(guarded, given), guarded.name, session);
    const asMade: Record<string, unknown> = { ...guarded };
    guarded.clone = (config) => {
      const since = Object.entries(guarded).filter(([key, value]) => key !== "clone" && asMade[key] !== value);
      const changed = original.clone({ ...Object.fromEntries(since), ...config });
      return new AgentGuard(session, this.#options).agent(changed, session);
    };
    return guarded;
  }

  #target(target: OpenAiAgent | Handoff, session: Session): OpenAiAgent | Handoff {
    const of = (agent: OpenAiAgent) => this.agent(agent, session.child({ agent: agent.name }));
    return "agent" in target ? target.clone({ agent: of(target.agent) }) : of(target);
  }

  #tool(tool: Tool, session: Session): Tool {
    const guardedFor = guardedTools.get(tool);
    if (guardedFor !== undefined) {
      if (guardedFor === wholeSession(session.id)) return tool;
      throw new Error(ofAnotherSession(tool));
    }
    const { unguarded = [] } = this.#options;
    const isAccepted = unguarded.includes(tool.name ?? "") || unguarded.includes(tool.type);
    // What can be looked at is, under whatever name: a server chooses the names of its tools.
    if (isFunctionTool(tool) && typeof tool.on !== "function") return this.#wrapped({ ...tool }, tool, session);
    if (isAccepted) return guardFound(tool, (found) => this.#tool(found, session));
    throw new Error(isFunctionTool(tool) ? unguardedAgentTool(tool.name) : cannotGuard(tool));
  }

  /** In place: the SDK knows an agent's tool by its identity. */
  #agentTool(tool: FunctionTool, target: string, session: Session): FunctionTool {
    return this.#wrapped(tool, { ...tool }, session, target);
  }

  #wrapped(guarded: FunctionTool, tool: FunctionTool, owner: Session, target?: string): FunctionTool {
    const call = { tool, owner, target };
    guarded.needsApproval = (context, input, callId) => this.#calls.needsApproval(call, context, input, callId);
    guarded.invoke = (context, input, details) => this.#calls.invoke(call, context, input, details);
    guardedTools.set(guarded, wholeSession(owner.id));
    return guarded;
  }

  /** What a person said no to comes past no tool of ours; the next request to the model comes past here. */
  #forgetRejected(context: RunContext, session: Session): void {
    for (const id of rejectedIn(context)) {
      if (!this.#rejected.has(id)) session.forgetQuestions(id);
      this.#rejected.add(id);
    }
  }

  #handoff(handoff: Handoff, from: OpenAiAgent, session: Session): Handoff {
    return handoff.clone({
      onInvokeHandoff: async (context, args) => {
        const { to = from, notes } = await handOver(handoff, this.#calls.acting(session), context, args);
        this.#notes.set(context, [...(this.#notes.get(context) ?? []), ...notes]);
        return to;
      },
    });
  }
}

/** The list of an agent: whatever it is set to is guarded, and nothing is slipped into it. */
function keepGuarded<T>(agent: OpenAiAgent, list: "tools" | "handoffs", guarded: (item: T) => T): void {
  let kept: readonly T[] = [];
  Object.defineProperty(agent, list, {
    configurable: true,
    enumerable: true,
    get: () => kept,
    set: (items: readonly T[]) => {
      kept = Object.freeze(items.map(guarded));
    },
  });
}

const guardedAlready = ({ name }: OpenAiAgent) =>
  `The agent ${name} is guarded already, for another session: call guardAgent with the agent it was made from.`;

const ofAnotherSession = ({ name, type }: Tool) =>
  `The tool ${name ?? type} is guarded for another session, and would go by what was decided there: make it for this one, from the agent or tool it was made from.`;

const isFunctionTool = (tool: Tool): tool is FunctionTool => tool.type === "function" && "invoke" in tool;

const cannotGuard = ({ name, type }: Tool) =>
  `Hooks cannot look at the calls of ${name ?? type} (type ${type}): it runs outside the tools an agent invokes. ` +
  `Replace it by a function tool, or accept that with guardAgent(session, agent, { unguarded: ["${name ?? type}"] }).`;

const unguardedAgentTool = (name: string) =>
  `${name} runs an agent that no hook guards: make the tool from the guarded agent, guardAgent(session, agent).asTool(…).`;
