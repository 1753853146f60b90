/**
 * OpenAI Agents (@openai/agents 0.20). The SDK has no one place where all tools pass, so every tool of an agent is
 * wrapped: its own, those of MCP servers, agents as tools, handoffs. What cannot be wrapped is refused, not passed.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { isJsonObject, type Json, type JsonObject, sameJson } from "../core/json.ts";
import type { Session } from "../embed/session.ts";
import { type JudgedCall, type PersonAnswer, questionText } from "../embed/tool-call.ts";
import { failureText } from "../hosts/answer-text.ts";
import { messageOf, withContext } from "./hook-context.ts";
import type { CallDetails, FunctionTool, Handoff, OpenAiAgent, RunContext, Tool } from "./openai-agents-shapes.ts";
import { addContext, jsonOf, objectiveOf, objectOf, textOf } from "./openai-agents-values.ts";
import { reminder } from "./reminder.ts";
import { rewriteProblem } from "./rewrite-problem.ts";
import type { SupportTable } from "./support.ts";
import { beginTurn, continuation } from "./turn.ts";

export const support: SupportTable = {
  session_start: { how: "wrapped", note: "by `runGuarded`, before the session's first prompt" },
  session_end: { how: "never", note: "an agent does not know when its conversation is over: fire it yourself" },
  user_prompt_submit: {
    how: "wrapped",
    note: "by `runGuarded`; context becomes part of the input, so it is in the history",
  },
  pre_tool_use: {
    how: "enforced",
    note: "function tools, tools of MCP servers, agents as tools, handoffs; the model sees its own input in the history",
  },
  "pre_tool_use: block": {
    how: "enforced",
    note: "the reason is the tool's output, which the SDK does not flag as an error",
  },
  "pre_tool_use: ask": {
    how: "enforced",
    note: "in process; with `suspend` as an interruption of a RunState, pending approvals too. In an agent that runs as a tool always in process",
  },
  "pre_tool_use: context": {
    how: "enforced",
    note: "added to the output; an output with an outputSchema has no place for it and stays as it is",
  },
  permission_request: {
    how: "enforced",
    note: "before a person is asked, by hooks or by the tool's own needsApproval",
  },
  post_tool_use: {
    how: "enforced",
    note: "a failure is known as one where the tool has `errorFunction: null`; otherwise it looks like an output",
  },
  pre_delegation: {
    how: "enforced",
    note: "agents as tools and handoffs. A handoff that is blocked returns to the agent that made it, with the reason in its instructions",
  },
  "pre_delegation: rewrite": {
    how: "stricter",
    note: "another target is blocked; the objective of a handoff cannot be changed",
  },
  delegation_start: { how: "enforced", note: "agents as tools and handoffs" },
  post_delegation: { how: "enforced", note: "agents as tools; a handoff does not come back" },
  delegation_failure: { how: "enforced", note: "agents as tools whose run throws, with `errorFunction: null`" },
  stop: { how: "wrapped", note: "by `runGuarded`: continue runs again with the history" },
  pre_compaction: { how: "never", note: "sessions compact by themselves, on OpenAI's side" },
  post_compaction: { how: "never", note: "likewise" },
  notification: { how: "never", note: "there is none" },
};

export interface OpenAiGuardOptions {
  /** Where hooks ask, the run ends with an interruption, to be resumed when a person has answered. Default: ask in process. */
  readonly suspend?: boolean;
  /** Names or types of tools that run on OpenAI's side or in ways nobody can look at, which you accept. */
  readonly unguarded?: readonly string[];
}

/** The agent, guarded: use it in place of the one given, which stays as it is. */
export function guardAgent<A extends OpenAiAgent>(session: Session, agent: A, options: OpenAiGuardOptions = {}): A {
  return new Guard(session, options).agent(agent, session) as A;
}

/** What a person is to be asked about an interruption, in the words of the hook that asks. */
export function questionOf(interruption: {
  readonly agent: object;
  readonly rawItem: { readonly callId?: string };
}): string | undefined {
  return questions.get(interruption.agent)?.get(interruption.rawItem.callId ?? "");
}

/** A person's answer to an interruption, told to the state that is then run again. */
export function answerInterruption<I extends { readonly name?: string | undefined }>(
  state: { approve(item: I): void; reject(item: I, options: { readonly message: string }): void },
  interruption: I,
  answer: PersonAnswer,
): void {
  if (answer.allow) state.approve(interruption);
  else state.reject(interruption, { message: answer.reason ?? `a person said no to ${interruption.name}` });
}

const questions = new WeakMap<object, Map<string, string>>();
const guardedTools = new WeakSet<object>();
/** Who acts inside an agent that runs as a tool: it has a runner of its own, and nothing links it to the caller's. */
const acting = new AsyncLocalStorage<{ readonly root: Session; readonly child: Session }>();

class Guard {
  readonly #root: Session;
  readonly #suspends: boolean;
  readonly #unguarded: readonly string[];
  readonly #agents = new Map<OpenAiAgent, OpenAiAgent>();
  /** Calls that were judged when the SDK asked whether they need approval. */
  readonly #judged = new Map<string, { readonly given: JsonObject; readonly judged: JudgedCall }>();
  readonly #questions = new Map<string, string>();
  /** Why a handoff did not take place: its result only names the agent that goes on. */
  readonly #refusals = new WeakMap<RunContext, string[]>();

  constructor(root: Session, { suspend = false, unguarded = [] }: OpenAiGuardOptions) {
    this.#root = root;
    this.#suspends = suspend;
    this.#unguarded = unguarded;
  }

  agent(original: OpenAiAgent, session: Session): OpenAiAgent {
    const known = this.#agents.get(original);
    if (known) return known;
    const guarded: OpenAiAgent = original.clone({ tools: [], handoffs: [] });
    const { getMcpTools, getEnabledHandoffs, getSystemPrompt, asTool } = guarded;
    this.#agents.set(original, guarded);
    questions.set(guarded, this.#questions);
    guarded.tools = original.tools.map((tool: Tool) => this.#tool(tool, session));
    // RunState finds agents again by these lists: what stands here is what goes on after a restart.
    guarded.handoffs = original.handoffs.map((target: OpenAiAgent | Handoff) => this.#target(target, session));
    guarded.getMcpTools = async (...args) => {
      const tools: Tool[] = await getMcpTools.apply(guarded, args);
      return tools.map((tool) => this.#tool(tool, session));
    };
    guarded.getEnabledHandoffs = async (...args) => {
      const handoffs: Handoff[] = await getEnabledHandoffs.apply(guarded, args);
      return handoffs.map((handoff) => this.#handoff(handoff, guarded, session));
    };
    guarded.getSystemPrompt = async (...args) => {
      const prompt = await getSystemPrompt.apply(guarded, args);
      const refusals = this.#refusals.get(args[0]) ?? [];
      return refusals.length > 0 ? withContext(prompt ?? "", refusals) : prompt;
    };
    guarded.asTool = (given) => this.#agentTool(asTool.call(guarded, given), guarded.name, session);
    guarded.clone = (config) => new Guard(session, this.#options).agent(original.clone(config), session);
    return guarded;
  }

  get #options(): OpenAiGuardOptions {
    return { suspend: this.#suspends, unguarded: this.#unguarded };
  }

  #target(target: OpenAiAgent | Handoff, session: Session): OpenAiAgent | Handoff {
    const of = (agent: OpenAiAgent) => this.agent(agent, session.child({ agent: agent.name }));
    return "agent" in target ? target.clone({ agent: of(target.agent) }) : of(target);
  }

  #tool(tool: Tool, session: Session): Tool {
    if (guardedTools.has(tool) || this.#unguarded.includes(tool.name ?? "") || this.#unguarded.includes(tool.type)) {
      return tool;
    }
    if (!isFunctionTool(tool)) throw new Error(cannotGuard(tool));
    if (typeof tool.on === "function") throw new Error(unguardedAgentTool(tool.name));
    return this.#wrapped({ ...tool }, tool, session);
  }

  /** In place: the SDK knows an agent's tool by its identity. */
  #agentTool(tool: FunctionTool, target: string, session: Session): FunctionTool {
    return this.#wrapped(tool, { ...tool }, session, target);
  }

  #wrapped(guarded: FunctionTool, tool: FunctionTool, owner: Session, target?: string): FunctionTool {
    const call = { tool, owner, target };
    guarded.needsApproval = (context, input, callId) => this.#needsApproval(call, context, input, callId);
    guarded.invoke = (context, input, details) => this.#invoke(call, context, input, details);
    guardedTools.add(guarded);
    return guarded;
  }

  #acting(owner: Session): Session {
    const store = acting.getStore();
    return store?.root === this.#root ? store.child : owner;
  }

  /** A throw here would end the run: what goes wrong is left to `invoke`, which judges for itself. */
  async #needsApproval({ tool, owner }: Wrapped, context: RunContext, input: unknown, callId = ""): Promise<boolean> {
    const own = await tool.needsApproval(context, input, callId);
    // A run inside a tool cannot wait by itself: there a person is asked in process, or the call is blocked.
    const nested = acting.getStore() !== undefined;
    if (!own && (!this.#suspends || nested)) return false;
    if (!isJsonObject(input)) return own;
    try {
      const problem = rewriteProblem(tool.parameters, input);
      const session = this.#acting(owner);
      const judged = await session.judgeTool({
        name: tool.name,
        input,
        id: callId,
        needsPermission: own,
        hold: !this.#suspends || nested,
        ...(problem ? { problem } : {}),
      });
      const asks = judged.kind === "ask" || judged.pendingApproval !== undefined;
      const waits = asks && (own || (this.#suspends && !nested));
      if (!waits) {
        this.#judged.set(callId, { given: input, judged });
        return false;
      }
      // Answered already: the run goes on, or a person said "always". Nobody will be asked by this.
      const isAnswered = context.isToolApproved({ toolName: tool.name, callId }) !== undefined;
      if (!isAnswered) session.suspendedWith(judged);
      this.#questions.set(callId, questionText(judged));
      return true;
    } catch {
      return own;
    }
  }

  async #invoke(call: Wrapped, context: RunContext, input: string, details?: CallDetails): Promise<unknown> {
    const { tool, owner, target } = call;
    const args = objectOf(input);
    if (!args) return `Error: the input of ${tool.name} is not a JSON object, so no hook could look at it.`;
    const callId = details?.toolCall?.callId ?? "";
    const known = this.#judged.get(callId);
    this.#judged.delete(callId);
    this.#questions.delete(callId);
    const session = this.#acting(owner);
    const problem = rewriteProblem(tool.parameters, args);
    const approved = context.isToolApproved({ toolName: tool.name, callId }) === true;
    let returned: { readonly value: unknown; readonly json: Json } | undefined;
    const runs = async (final: JsonObject): Promise<Json> => {
      const value = await tool.invoke(context, JSON.stringify(final), details);
      returned = { value, json: jsonOf(value) };
      return returned.json;
    };
    try {
      const outcome = await session.callTool({
        name: tool.name,
        input: args,
        id: callId,
        hold: !this.#suspends || acting.getStore() !== undefined,
        ...(problem ? { problem } : {}),
        ...(known && sameJson(known.given, args) ? { judged: known.judged } : {}),
        ...(approved ? { answered: { allow: true } as const } : {}),
        ...(details?.signal ? { signal: details.signal } : {}),
        run: target === undefined ? runs : (final) => this.#delegated(session, target, callId, final, runs),
      });
      if (outcome.status === "blocked") return withContext(`Error: ${outcome.reason}`, outcome.context);
      const same = returned && sameJson(returned.json, outcome.output);
      return addContext(same ? returned?.value : outcome.output, outcome.context, tool.outputSchema !== undefined);
    } catch (error) {
      return `Error: ${failureText(messageOf(error), true)}`;
    }
  }

  async #delegated(
    session: Session,
    target: string,
    toolUseId: string,
    input: JsonObject,
    runs: (input: JsonObject) => Promise<Json>,
  ): Promise<Json> {
    const { field, text } = objectiveOf(input);
    const delegated = await session.delegate({
      target,
      objective: text,
      toolUseId,
      targetProblem: (other) =>
        other === target ? undefined : `this tool asks ${target}; call the tool of ${other} instead`,
      run: async ({ session: child, prompt }) => {
        child.startTurn();
        const asked = field === undefined ? input : { ...input, [field]: prompt };
        return textOf(await acting.run({ root: this.#root, child }, () => runs(asked)));
      },
    });
    if (delegated.status === "failed") throw new Error(delegated.summary);
    return delegated.summary;
  }

  #handoff(handoff: Handoff, from: OpenAiAgent, session: Session): Handoff {
    return handoff.clone({
      onInvokeHandoff: async (context, args) => {
        const refusal = await this.#handoffRefusal(handoff, this.#acting(session), args);
        if (refusal === undefined) return handoff.onInvokeHandoff(context, args);
        this.#refusals.set(context, [...(this.#refusals.get(context) ?? []), refusal]);
        return from;
      },
    });
  }

  /** Why the conversation stays where it is; undefined: it is handed over. A person cannot be waited for here. */
  async #handoffRefusal({ toolName, agent }: Handoff, session: Session, args: string): Promise<string | undefined> {
    const refused = (reason: string) => `The handoff to ${agent.name} did not take place. ${reason}`;
    try {
      const input = objectOf(args) ?? {};
      const judged = await session.judgeTool({ name: toolName, input, needsPermission: false });
      if (judged.kind !== "run") return refused(judged.reason);
      const { text: objective } = objectiveOf(input);
      const request = { targetAgentId: agent.name, objective, context: null, constraints: null, expectedOutput: null };
      const asked = await session.fire("pre_delegation", { toolUseId: "", ...request });
      if (asked.kind === "block") return refused(asked.reason);
      if (asked.final.targetAgentId !== agent.name) {
        return refused(`Hand over to ${asked.final.targetAgentId} instead.`);
      }
      await session.fire("delegation_start", { delegationId: toolName, ...request, status: "requested" });
      return undefined;
    } catch (error) {
      return refused(failureText(messageOf(error), true));
    }
  }
}

interface Wrapped {
  readonly tool: FunctionTool;
  readonly owner: Session;
  /** The agent that the tool runs. */
  readonly target: string | undefined;
}

const isFunctionTool = (tool: Tool): tool is FunctionTool => tool.type === "function" && "invoke" in tool;

const cannotGuard = ({ name, type }: Tool) =>
  `Hooks cannot look at the calls of ${name ?? type} (type ${type}): it runs outside the tools an agent invokes. ` +
  `Replace it by a function tool, or accept that with guardAgent(session, agent, { unguarded: ["${name ?? type}"] }).`;

const unguardedAgentTool = (name: string) =>
  `${name} runs an agent that no hook guards: make the tool from the guarded agent, guardAgent(session, agent).asTool(…).`;

type Item = { readonly role?: string; readonly content?: unknown };

interface Result {
  readonly history: readonly Item[];
  readonly finalOutput?: unknown;
  readonly interruptions?: readonly unknown[];
  readonly lastAgent?: unknown;
}

export interface GuardedTurn<R> {
  readonly session: Session;
  /** The SDK's `run`, or that of a Runner. */
  // biome-ignore lint/suspicious/noExplicitAny: the SDK's own types are not imported
  run(agent: any, input: any, options?: any): Promise<R>;
  /** As guardAgent gave it. */
  readonly agent: OpenAiAgent;
  /** A prompt, or the RunState of a run that waited. */
  readonly input: string | readonly Item[] | object;
  readonly options?: { readonly stream?: false; readonly session?: unknown } & Readonly<Record<string, unknown>>;
}

export type TurnResult<R> =
  | { readonly status: "blocked"; readonly reason: string }
  | { readonly status: "done" | "suspended"; readonly result: R };

/** One turn: the prompt looked at before it, and its end after it. */
export async function runGuarded<R extends Result>(turn: GuardedTurn<R>): Promise<TurnResult<R>> {
  const { session, run, agent, options = {} } = turn;
  let input: unknown = turn.input;
  if (typeof input === "string" || Array.isArray(input)) {
    const items: readonly Item[] = typeof input === "string" ? [{ role: "user", content: input }] : input;
    const begun = await beginTurn(session, promptOf(items.at(-1)));
    if (begun.status === "blocked") return begun;
    // Part of the input, not of one request: so it is in the history, in every request and after a restart.
    if (begun.context.length > 0) input = [...items, { role: "user", content: reminder(begun.context) }];
  } else if (session.turn === "") session.startTurn();
  let result = await run(agent, input, options);
  for (let continuations = 0; ; continuations++) {
    if (result.interruptions?.length) return { status: "suspended", result };
    const message = await continuation(session, textOf(jsonOf(result.finalOutput)), continuations);
    if (message === undefined) return { status: "done", result };
    const said = { role: "user", content: message };
    // The SDK's own session has the history already.
    const next = options.session === undefined ? [...result.history, said] : [said];
    result = await run(result.lastAgent ?? agent, next, options);
  }
}

function promptOf(item: Item | undefined): string {
  const { content } = item ?? {};
  if (typeof content === "string") return content;
  const parts: readonly { readonly text?: unknown }[] = Array.isArray(content) ? content : [];
  return parts.flatMap(({ text }) => (typeof text === "string" ? [text] : [])).join("\n");
}
