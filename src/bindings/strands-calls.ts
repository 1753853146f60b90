/** The tool calls of one agent, each from the hook before it to the hook after it. */
import { isJsonObject, type JsonObject, sameJson } from "../core/json.ts";
import type { Session } from "../embed/session.ts";
import type { JudgedCall } from "../embed/tool-call.ts";
import { failureText } from "../hosts/answer-text.ts";
import { messageOf, withContext } from "./hook-context.ts";
import { Interrupts } from "./interrupts.ts";
import { rewriteProblem } from "./rewrite-problem.ts";
import { Delegations } from "./strands-delegations.ts";
import { interruptsOf } from "./strands-interrupts.ts";
import { addContext, replaceResult } from "./strands-result.ts";
import {
  type AfterToolCall,
  type BeforeToolCall,
  LAST,
  type StrandsAgent,
  type StrandsSdk,
  type ToolUse,
} from "./strands-shapes.ts";
import { responseOf } from "./strands-values.ts";

interface Asked {
  readonly session: Session;
  readonly by: Session;
  /** Of whoever asks: a call that was cancelled has no end, a turn has. */
  readonly turn: string;
}

const guards = new WeakMap<object, ToolGuard>();

export const isGuarded = (agent: StrandsAgent): boolean => guards.has(agent);

export class ToolGuard {
  readonly #sdk: StrandsSdk;
  readonly #suspends: boolean;
  readonly #isChild: boolean;
  readonly #own: Session;
  /** Those that this agent was asked by, the first first: the SDK lets an agent work for one at a time. */
  readonly #askedBy: Asked[] = [];
  readonly #blocked = new Set<string>();
  readonly #judged = new Map<string, JudgedCall & { readonly startedMs: number }>();
  readonly #delegations: Delegations;

  constructor(sdk: StrandsSdk, session: Session, suspends: boolean, isChild = false) {
    this.#sdk = sdk;
    this.#own = session;
    this.#suspends = suspends;
    this.#isChild = isChild;
    this.#delegations = new Delegations(sdk);
  }

  /** Whom the agent acts as: the session it was asked in, as long as whoever asked is still in that turn. */
  get #session(): Session {
    return this.#askedBy.find(({ by, turn }) => by.turn === turn)?.session ?? this.#own;
  }

  guard(agent: StrandsAgent): this {
    const { AfterInvocationEvent, AfterToolCallEvent, BeforeToolCallEvent } = this.#sdk;
    guards.set(agent, this);
    agent.addHook(BeforeToolCallEvent, (event: BeforeToolCall) => this.#beforeTool(event), LAST);
    agent.addHook(AfterToolCallEvent, (event: AfterToolCall) => this.#afterTool(event), LAST);
    // A caller that stops reading the stream gets no end of the call it stopped in, but this one.
    agent.addHook(AfterInvocationEvent, () => this.#delegations.abandonAll(), LAST);
    return this;
  }

  async #beforeTool(event: BeforeToolCall): Promise<void> {
    if (event.cancel) {
      this.#blocked.add(event.toolUse.toolUseId);
      return;
    }
    const interrupts = this.#waits ? new Interrupts(this.#session, interruptsOf(event)) : undefined;
    const first = await this.#judge(event);
    const judged = interrupts ? await interrupts.decided(first, () => this.#judge(event)) : first;
    const refusal = judged.kind === "ask" ? await this.#refused(event, judged, interrupts) : judged.reason;
    interrupts?.close(event.toolUse.toolUseId);
    if (judged.kind !== "run" && refusal !== undefined) {
      this.#cancel(event, withContext(`Error: ${refusal}`, judged.context));
      return;
    }
    const child = event.tool?.agent;
    const { input } = judged.tool;
    const asked = child ? await this.#start(child, event.toolUse, input) : { input };
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

  #start(child: StrandsAgent, toolUse: ToolUse, input: JsonObject) {
    const by = this.#session;
    return this.#delegations.start(by, toolUse, input, (session) => {
      const guard = guards.get(child) ?? new ToolGuard(this.#sdk, session, this.#suspends, true).guard(child);
      const asked = { session, by, turn: by.turn };
      guard.#askedBy.push(asked);
      return () => guard.#askedBy.splice(guard.#askedBy.indexOf(asked), 1);
    });
  }

  async #afterTool(event: AfterToolCall): Promise<void> {
    const { name, toolUseId } = event.toolUse;
    const judged = this.#judged.get(toolUseId);
    this.#judged.delete(toolUseId);
    if (this.#blocked.delete(toolUseId) || !judged) return;
    await this.#delegations.end(event);
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
      if (after.kind === "block") replaceResult(this.#sdk, event, `Error: ${after.reason}`, true);
      else if (!sameJson(after.final.response, response)) replaceResult(this.#sdk, event, after.final.response, failed);
      addContext(this.#sdk, event, [...judged.context, ...after.context]);
    } catch (error) {
      // Not known to be harmless.
      const why = failureText(`the output of ${name} could not be looked at: ${messageOf(error)}`, true);
      replaceResult(this.#sdk, event, `Error: ${why}`, true);
    }
  }
}
