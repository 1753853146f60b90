/**
 * Strands Agents (@strands-agents/sdk 1.19, Node 22 or newer). Its hooks abort the invocation when they throw, so none
 * of ours does; the one thing thrown on purpose is the SDK's own interrupt. No hook of it is told the prompt: that is
 * taken where an invocation begins.
 */
import { isJsonObject, type Json, type JsonObject, sameJson } from "../core/json.ts";
import type { Delegated } from "../embed/delegation.ts";
import type { Session } from "../embed/session.ts";
import type { JudgedCall } from "../embed/tool-call.ts";
import { failureText } from "../hosts/answer-text.ts";
import { messageOf, withContext } from "./hook-context.ts";
import { Interrupts } from "./interrupts.ts";
import { reminder } from "./reminder.ts";
import { rewriteProblem } from "./rewrite-problem.ts";
import { interruptsOf, type StrandsInterrupt } from "./strands-interrupts.ts";
import { isPlain, isRecord, promptOf, responseOf, type ToolResult } from "./strands-values.ts";
import type { SupportTable } from "./support.ts";
import { beginTurn, continuation } from "./turn.ts";

export const support: SupportTable = {
  session_start: { how: "enforced", note: "before the session's first prompt" },
  session_end: { how: "never", note: "an agent does not know when its conversation is over: fire it yourself" },
  user_prompt_submit: { how: "enforced", note: "a blocked prompt is not stored; the reason is the agent's answer" },
  "user_prompt_submit: context": { how: "enforced", note: "in the prompt's own message, so it is in the history" },
  pre_tool_use: { how: "enforced", note: "the model sees its own input in the history" },
  "pre_tool_use: ask": {
    how: "enforced",
    note: "in process; with `suspend` as an interrupt, kept by snapshots, pending approvals too. In an agent that runs as a tool always in process",
  },
  "pre_tool_use: context": { how: "enforced", note: "as a further text of the result" },
  permission_request: { how: "enforced", note: "before a person is asked" },
  post_tool_use: { how: "enforced", note: "of calls that ran; one that was cancelled has no end" },
  pre_delegation: { how: "enforced", note: "agents as tools, which are guarded when they are first asked" },
  "pre_delegation: rewrite": { how: "stricter", note: "another target is blocked: a tool asks one agent" },
  delegation_start: { how: "enforced", note: "likewise" },
  post_delegation: { how: "enforced", note: "likewise" },
  delegation_failure: { how: "enforced", note: "likewise" },
  stop: { how: "enforced", note: "continue resumes the invocation with a new message" },
  pre_compaction: {
    how: "wrapped",
    note: "by `guardCompaction`; a block where the messages are too many already ends the turn with the reason. Context is not sent",
  },
  post_compaction: {
    how: "wrapped",
    note: "by `guardCompaction`; a summary is told where the manager made one. Context is not sent",
  },
  notification: { how: "never", note: "there is none" },
};

// biome-ignore lint/suspicious/noExplicitAny: the SDK's own types are not imported
type Class = new (...args: any[]) => any;

/** What is used of the SDK: pass its whole module, `import * as strands from "@strands-agents/sdk"`. */
export interface StrandsSdk {
  readonly AfterInvocationEvent: Class;
  readonly AfterModelCallEvent: Class;
  readonly AfterToolCallEvent: Class;
  readonly AgentResult: Class;
  readonly BeforeToolCallEvent: Class;
  readonly JsonBlock: Class;
  readonly Message: Class;
  readonly TextBlock: Class;
  readonly ToolResultBlock: Class;
}

/** What of the SDK's Agent is used here. */
export interface StrandsAgent {
  readonly messages: readonly unknown[];
  readonly cancelSignal?: AbortSignal;
  // biome-ignore lint/suspicious/noExplicitAny: the SDK's own types are not imported
  stream(args: any, options?: any): AsyncGenerator<any, any, undefined>;
  // biome-ignore lint/suspicious/noExplicitAny: the SDK's own types are not imported
  addHook(event: any, callback: (event: any) => void | Promise<void>, options?: { order?: number }): unknown;
}

export interface StrandsOptions {
  /** Where hooks ask, the invocation ends with an interrupt, to be resumed when a person has answered. Default: ask in process. */
  readonly suspend?: boolean;
}

/** Guards the agent given, which serves one session; agents that it asks as tools are guarded with it. */
export function guardAgent<A extends StrandsAgent>(
  session: Session,
  sdk: StrandsSdk,
  agent: A,
  { suspend = false }: StrandsOptions = {},
): A {
  if (guards.has(agent)) throw new Error("This agent is guarded already: an agent serves one session.");
  new Guard(sdk, session, suspend).guard(agent).guardTurns(agent);
  return agent;
}

/** Runs after other hooks on a call, and after other hooks on its result: what is judged is what happens. */
const LAST = { order: 100 };

interface ToolUse {
  readonly name: string;
  readonly toolUseId: string;
  readonly input: Json;
}

interface BeforeToolCall {
  readonly agent: StrandsAgent;
  toolUse: ToolUse;
  readonly tool?: { readonly toolSpec?: { readonly inputSchema?: unknown }; readonly agent?: StrandsAgent };
  cancel: boolean | string;
  interrupt: StrandsInterrupt;
}

interface AfterToolCall {
  readonly toolUse: ToolUse;
  result: ToolResult;
}

/** How a request to the model ended. */
interface ModelStop {
  readonly stopReason: string;
  readonly message: { readonly content: readonly { readonly text?: string }[] };
}

/** A sub-agent at work: its end is told here, and what hooks made of it read there. */
interface Running {
  finish(outcome: { readonly failed: boolean; readonly text: string }): void;
  readonly delegated: Promise<Delegated>;
}

const guards = new WeakMap<object, Guard>();

class Guard {
  readonly #sdk: StrandsSdk;
  readonly #suspends: boolean;
  readonly #isChild: boolean;
  #session: Session;
  readonly #blocked = new Set<string>();
  readonly #judged = new Map<string, JudgedCall & { readonly startedMs: number }>();
  readonly #running = new Map<string, Running>();
  #last: ModelStop | undefined;
  #continuations = 0;

  constructor(sdk: StrandsSdk, session: Session, suspends: boolean, isChild = false) {
    this.#sdk = sdk;
    this.#session = session;
    this.#suspends = suspends;
    this.#isChild = isChild;
  }

  guard(agent: StrandsAgent): this {
    const { AfterToolCallEvent, BeforeToolCallEvent } = this.#sdk;
    guards.set(agent, this);
    agent.addHook(BeforeToolCallEvent, (event: BeforeToolCall) => this.#beforeTool(event), LAST);
    agent.addHook(AfterToolCallEvent, (event: AfterToolCall) => this.#afterTool(event), LAST);
    return this;
  }

  /** Of the agent that people talk to. */
  guardTurns(agent: StrandsAgent): void {
    const { AfterInvocationEvent, AfterModelCallEvent } = this.#sdk;
    const stream = agent.stream.bind(agent);
    const begin = (args: unknown, options: unknown) => this.#begin(agent, args, options);
    agent.stream = async function* (args: unknown, options?: unknown) {
      const begun = await begin(args, options);
      if ("refusal" in begun) return begun.refusal;
      return yield* stream(begun.args, options);
    };
    agent.addHook(AfterModelCallEvent, ({ stopData }: { readonly stopData?: ModelStop }) => {
      this.#last = stopData;
    });
    agent.addHook(AfterInvocationEvent, (event: { resume?: unknown }) => this.#end(event), LAST);
  }

  async #begin(
    agent: StrandsAgent,
    args: unknown,
    options: unknown,
  ): Promise<{ readonly args: unknown } | { readonly refusal: unknown }> {
    this.#last = undefined;
    const prompt = promptOf(args);
    if (prompt === undefined) {
      if (this.#session.turn === "") this.#session.startTurn();
      return { args };
    }
    this.#continuations = 0;
    const begun = await beginTurn(this.#session, prompt, agent.messages.length > 0 ? "resume" : "startup");
    if (begun.status === "blocked") return { refusal: this.#refusal(options, begun.reason) };
    return { args: begun.context.length > 0 ? this.#withBlock(args, reminder(begun.context)) : args };
  }

  #refusal(options: unknown, reason: string): unknown {
    const { AgentResult, Message, TextBlock } = this.#sdk;
    const lastMessage = new Message({ role: "assistant", content: [new TextBlock(reason)] });
    const given = isRecord(options) ? options.invocationState : undefined;
    return new AgentResult({ stopReason: "endTurn", lastMessage, invocationState: given ?? {} });
  }

  /** In the prompt's own message: so it stays in the history. */
  #withBlock(args: unknown, text: string): unknown {
    const block = new this.#sdk.TextBlock(text);
    if (typeof args === "string") return [new this.#sdk.TextBlock(args), block];
    const items = args as readonly { readonly role?: string; readonly content?: readonly unknown[] }[];
    const last = items.at(-1);
    if (last?.role === undefined) return [...items, isPlain(last) ? { text } : block];
    if (isPlain(last)) return [...items.slice(0, -1), { ...last, content: [...(last.content ?? []), { text }] }];
    const message = new this.#sdk.Message({ role: last.role, content: [...(last.content ?? []), block] });
    return [...items.slice(0, -1), message];
  }

  /** The event comes at every end: of an interrupt and of an error too, which are no ends of a turn. */
  async #end(event: { resume?: unknown }): Promise<void> {
    const last = this.#last;
    this.#last = undefined;
    if (last?.stopReason !== "endTurn" && last?.stopReason !== "stopSequence") return;
    const words = last.message.content.flatMap(({ text }) => (text === undefined ? [] : [text])).join("\n");
    const message = await continuation(this.#session, words, this.#continuations);
    if (message === undefined || event.resume !== undefined) return;
    this.#continuations += 1;
    event.resume = message;
  }

  async #beforeTool(event: BeforeToolCall): Promise<void> {
    if (event.cancel) {
      this.#blocked.add(event.toolUse.toolUseId);
      return;
    }
    const interrupts = this.#waits ? new Interrupts(this.#session, interruptsOf(event)) : undefined;
    let judged = await this.#judge(event);
    // What resumes the agent is no answer: people's is found by judging again.
    while (judged.pendingApproval !== undefined && interrupts?.wait(judged)) judged = await this.#judge(event);
    const refusal = judged.kind === "ask" ? await this.#refused(event, judged, interrupts) : judged.reason;
    interrupts?.close(event.toolUse.toolUseId);
    if (judged.kind !== "run" && refusal !== undefined) {
      this.#cancel(event, withContext(`Error: ${refusal}`, judged.context));
      return;
    }
    const child = event.tool?.agent;
    const { input } = judged.tool;
    const asked = child ? await this.#startDelegation(event, child, input) : { input };
    if ("blocked" in asked) {
      this.#cancel(event, asked.blocked);
      return;
    }
    this.#judged.set(event.toolUse.toolUseId, {
      ...judged,
      tool: { ...judged.tool, input: asked.input },
      startedMs: performance.now(),
    });
    // A new object: the one given is the model's own message.
    if (!sameJson(asked.input, event.toolUse.input)) event.toolUse = { ...event.toolUse, input: asked.input };
  }

  #cancel(event: BeforeToolCall, text: string): void {
    event.cancel = text;
    this.#blocked.add(event.toolUse.toolUseId);
  }

  async #judge({ agent, toolUse, tool }: BeforeToolCall): Promise<JudgedCall> {
    const { name, toolUseId: id } = toolUse;
    const input = isJsonObject(toolUse.input) ? toolUse.input : {};
    const call = { name, input, id };
    try {
      const problem = rewriteProblem(tool?.toolSpec?.inputSchema, input);
      const signal = agent.cancelSignal;
      return await this.#session.judgeTool({
        ...call,
        hold: !this.#waits,
        ...(problem ? { problem } : {}),
        ...(signal ? { signal } : {}),
      });
    } catch (error) {
      return { kind: "block", reason: failureText(messageOf(error), true), tool: call, context: [] };
    }
  }

  /** An agent that runs as a tool cannot wait by itself. */
  get #waits(): boolean {
    return this.#suspends && !this.#isChild;
  }

  /** Throws the SDK's interrupt where the run is to wait; when it is resumed, hooks were asked again before. */
  async #refused(
    event: BeforeToolCall,
    judged: JudgedCall,
    interrupts: Interrupts | undefined,
  ): Promise<string | undefined> {
    if (interrupts) {
      const answer = interrupts.answerTo(judged);
      return answer.allow ? undefined : (answer.reason ?? `a person said no to ${judged.tool.name}`);
    }
    try {
      return await this.#session.refusal(judged, event.agent.cancelSignal);
    } catch (error) {
      return failureText(`the person could not be asked: ${messageOf(error)}`, true);
    }
  }

  async #startDelegation(
    event: BeforeToolCall,
    child: StrandsAgent,
    input: JsonObject,
  ): Promise<{ readonly input: JsonObject } | { readonly blocked: string }> {
    const { toolUseId, name: target } = event.toolUse;
    const objective = typeof input.input === "string" ? input.input : JSON.stringify(input);
    let finish: Running["finish"] = () => {};
    const finished = new Promise<string>((resolve, reject) => {
      finish = ({ failed, text }) => (failed ? reject(new Error(text)) : resolve(text));
    });
    let begin: (prompt: string) => void = () => {};
    const begun = new Promise<{ readonly prompt: string }>((resolve) => {
      begin = (prompt) => resolve({ prompt });
    });
    const delegated = this.#session.delegate({
      target,
      objective,
      toolUseId,
      targetProblem: (other) =>
        other === target ? undefined : `this tool asks ${target}; call the tool of ${other} instead`,
      run: ({ session, prompt }) => {
        session.startTurn();
        const guard = guards.get(child) ?? new Guard(this.#sdk, session, this.#suspends, true).guard(child);
        guard.#session = session;
        begin(prompt);
        return finished;
      },
    });
    try {
      const first = await Promise.race([begun, delegated]);
      if (!("prompt" in first)) return { blocked: first.summary };
      this.#running.set(toolUseId, { finish, delegated });
      return { input: { ...input, input: first.prompt } };
    } catch (error) {
      return { blocked: failureText(messageOf(error), true) };
    }
  }

  async #afterTool(event: AfterToolCall): Promise<void> {
    const { name, toolUseId } = event.toolUse;
    const judged = this.#judged.get(toolUseId);
    this.#judged.delete(toolUseId);
    if (this.#blocked.delete(toolUseId) || !judged) return;
    await this.#endDelegation(event);
    const { tool, startedMs } = judged;
    const response = responseOf(event.result);
    const failed = event.result.status === "error";
    const durationMs = Math.round(performance.now() - startedMs);
    try {
      const after = await this.#session.fire("post_tool_use", {
        tool,
        response,
        failed,
        outcomeUnknown: false,
        durationMs,
      });
      if (after.kind === "block") this.#replace(event, `Error: ${after.reason}`, true);
      else if (!sameJson(after.final.response, response)) this.#replace(event, after.final.response, failed);
      this.#addContext(event, [...judged.context, ...after.context]);
    } catch (error) {
      process.stderr.write(`holdfast: the output of ${name} was not looked at: ${messageOf(error)}\n`);
    }
  }

  async #endDelegation(event: AfterToolCall): Promise<void> {
    const running = this.#running.get(event.toolUse.toolUseId);
    if (!running) return;
    this.#running.delete(event.toolUse.toolUseId);
    const response = responseOf(event.result);
    const text = typeof response === "string" ? response : JSON.stringify(response);
    const failed = event.result.status === "error";
    running.finish({ failed, text });
    try {
      const { summary } = await running.delegated;
      if (summary !== text) this.#replace(event, summary, failed);
    } catch (error) {
      process.stderr.write(`holdfast: the end of a delegation was not looked at: ${messageOf(error)}\n`);
    }
  }

  #replace(event: AfterToolCall, output: Json, failed: boolean): void {
    const { JsonBlock, TextBlock, ToolResultBlock } = this.#sdk;
    const content = [typeof output === "string" ? new TextBlock(output) : new JsonBlock({ json: output })];
    const { toolUseId } = event.toolUse;
    event.result = new ToolResultBlock({ toolUseId, status: failed ? "error" : "success", content });
  }

  #addContext(event: AfterToolCall, context: readonly string[]): void {
    if (context.length === 0) return;
    const { TextBlock, ToolResultBlock } = this.#sdk;
    const { status, content } = event.result;
    const { toolUseId } = event.toolUse;
    const told = [...content, new TextBlock(reminder(context))];
    event.result = new ToolResultBlock({ toolUseId, status, content: told });
  }
}
