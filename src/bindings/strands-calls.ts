/** The tool calls of one agent, each from the hook before it to the hook after it. */
import { isJsonObject, type Json, sameJson } from "../core/json.ts";
import type { Session } from "../embed/session.ts";
import type { JudgedCall } from "../embed/tool-call.ts";
import { failureText } from "../hosts/answer-text.ts";
import { messageOf, withContext } from "./hook-context.ts";
import { Interrupts } from "./interrupts.ts";
import { rewriteProblem } from "./rewrite-problem.ts";
import { type Call, callOf, checkedTool, isChecked, marked } from "./strands-checked-tool.ts";
import { Delegations } from "./strands-delegations.ts";
import { innermost } from "./strands-innermost.ts";
import { interruptsOf } from "./strands-interrupts.ts";
import { OwnEvents } from "./strands-own-events.ts";
import { addContext, errorResult, replaceResult } from "./strands-result.ts";
import {
  type AfterToolCall,
  type BeforeToolCall,
  type ExecuteNext,
  type ExecuteTool,
  LAST,
  type StrandsAgent,
  type StrandsSdk,
  type Tool,
  type ToolUse,
} from "./strands-shapes.ts";
import { responseOf, type ToolResult } from "./strands-values.ts";

interface Asked {
  readonly session: Session;
  readonly by: Session;
  /** Of whoever asks: a call that was cancelled has no end, a turn has. */
  readonly turn: string;
}

const guards = new WeakMap<object, ToolGuard>();

export class ToolGuard {
  readonly #sdk: StrandsSdk;
  readonly #suspends: boolean;
  readonly #isChild: boolean;
  readonly #own: Session;
  /** Those that this agent was asked by, the first first: the SDK lets an agent work for one at a time. */
  readonly #askedBy: Asked[] = [];
  readonly #delegations: Delegations;
  /** Of which hooks have said all they have to say. */
  readonly #settled = new WeakSet<ToolResult>();

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
    const checkTools = innermost(this.#sdk, agent, (context, next) => this.#run(context, next));
    const events = new OwnEvents(agent);
    events.on<BeforeToolCall>(
      BeforeToolCallEvent,
      async (event) => {
        await this.#beforeTool(event);
        checkTools();
      },
      LAST,
    );
    events.on<AfterToolCall>(AfterToolCallEvent, (event) => this.#afterTool(event), LAST);
    // A caller that stops reading the stream gets no end of the call it stopped in, but this one.
    events.on(AfterInvocationEvent, () => this.#delegations.abandonAll(), LAST);
    return this;
  }

  async #beforeTool(event: BeforeToolCall): Promise<void> {
    const tool = event.selectedTool ?? event.agent.toolRegistry.get(event.toolUse.name);
    if (event.cancel) {
      this.#know(event, tool, newCall(unjudged(event.toolUse), true));
      return;
    }
    const interrupts = this.#waits ? new Interrupts(this.#session, interruptsOf(event)) : undefined;
    const judge = () => this.#judge(event.agent, event.toolUse, tool);
    const first = await judge();
    const judged = interrupts ? await interrupts.decided(first, judge) : first;
    const refusal = judged.kind === "ask" ? await this.#refused(event.agent, judged, interrupts) : judged.reason;
    interrupts?.close(event.toolUse.toolUseId);
    const isRefused = judged.kind !== "run" && refusal !== undefined;
    const call = newCall(judged, isRefused);
    if (isRefused) event.cancel = withContext(`Error: ${refusal}`, judged.context);
    else await this.#start(event, tool?.agent, call);
    const { input } = call.judged.tool;
    // A new object: the one given is the model's own message.
    if (!call.isBlocked && !sameJson(input, event.toolUse.input)) event.toolUse = { ...event.toolUse, input };
    this.#know(event, tool, call);
  }

  #know(event: BeforeToolCall, tool: Tool | undefined, call: Call): void {
    const { agent } = event;
    event.toolUse = marked(event.toolUse, call);
    const { toolUse } = event;
    if (tool) event.selectedTool = checkedTool(tool, call, (input) => this.#judgeAgain(agent, toolUse, tool, input));
  }

  async #judge(agent: StrandsAgent, toolUse: ToolUse, tool: Tool | undefined): Promise<JudgedCall> {
    const call = unjudged(toolUse).tool;
    if (!isJsonObject(toolUse.input)) return { ...unjudged(toolUse), reason: NO_OBJECT };
    try {
      const problem = rewriteProblem(tool?.toolSpec?.inputSchema, call.input);
      const signal = agent.cancelSignal;
      return await this.#session.judgeTool({
        ...call,
        hold: !this.#waits,
        ...(problem ? { problem } : {}),
        ...(signal ? { signal } : {}),
      });
    } catch (error) {
      return { ...unjudged(toolUse), reason: failureText(messageOf(error), true) };
    }
  }

  /** The SDK does not suspend a call that has begun: what would wait for a person elsewhere is refused. */
  async #judgeAgain(agent: StrandsAgent, toolUse: ToolUse, tool: Tool, input: Json): Promise<JudgedCall | ToolResult> {
    const refused = (reason: string) => {
      const result = errorResult(this.#sdk, toolUse.toolUseId, reason);
      this.#settled.add(result);
      return result;
    };
    if (tool.agent) return refused(CHANGED_DELEGATION);
    const judged = await this.#judge(agent, { ...toolUse, input }, tool);
    if (judged.kind === "run") return judged;
    if (judged.kind === "block") return refused(judged.reason);
    if (this.#waits) return refused(`${judged.reason} ${CHANGED_QUESTION}`);
    const refusal = await this.#refused(agent, judged, undefined);
    return refusal === undefined ? judged : refused(refusal);
  }

  /** An agent that runs as a tool cannot wait by itself. */
  get #waits(): boolean {
    return this.#suspends && !this.#isChild;
  }

  /** Throws the SDK's interrupt where the run is to wait; when it is resumed, hooks were asked again before. */
  async #refused(
    agent: StrandsAgent,
    judged: JudgedCall,
    interrupts: Interrupts | undefined,
  ): Promise<string | undefined> {
    if (interrupts) {
      const answer = interrupts.answerTo(judged);
      return answer.allow ? undefined : (answer.reason ?? `a person said no to ${judged.tool.name}`);
    }
    try {
      return await this.#session.refusal(judged, agent.cancelSignal);
    } catch (error) {
      return failureText(`the person could not be asked: ${messageOf(error)}`, true);
    }
  }

  /** Begins a delegation, where the tool is an agent; hooks may change what it is asked, or refuse it. */
  async #start(event: BeforeToolCall, child: StrandsAgent | undefined, call: Call): Promise<void> {
    if (!child) return;
    const by = this.#session;
    const { judged } = call;
    const asked = await this.#delegations.start(call, by, event.toolUse, judged.tool.input, (session) => {
      const guard = guards.get(child) ?? new ToolGuard(this.#sdk, session, this.#suspends, true).guard(child);
      const asked = { session, by, turn: by.turn };
      guard.#askedBy.push(asked);
      return () => guard.#askedBy.splice(guard.#askedBy.indexOf(asked), 1);
    });
    if ("blocked" in asked) {
      event.cancel = asked.blocked;
      call.isBlocked = true;
    } else call.judged = { ...judged, tool: { ...judged.tool, input: asked.input } };
  }

  /** What stands in the place of the tool that hooks looked at is a call of its own: from the first hook to the last. */
  async *#run(context: ExecuteTool, next: ExecuteNext): ReturnType<ExecuteNext> {
    const { agent, tool } = context;
    if (tool === undefined || isChecked(tool)) return yield* next(context);
    const toolUse = { ...context.toolUse, name: tool.name ?? context.toolUse.name };
    const judged = await this.#judgeAgain(agent, toolUse, tool, toolUse.input);
    if ("status" in judged) return { result: judged };
    const { result } = yield* next({ ...context, toolUse: { ...toolUse, input: judged.tool.input } });
    const event = { agent, toolUse: marked(toolUse, newCall(judged, false)), result };
    await this.#afterTool(event);
    this.#settled.add(event.result);
    return { result: event.result };
  }

  async #afterTool(event: AfterToolCall): Promise<void> {
    const { name } = event.toolUse;
    const call = callOf(event);
    if (call) await this.#delegations.end(call, event);
    if (this.#settled.has(event.result)) return;
    if (!call) {
      // Something after our hook replaced both the call and its tool: nobody knows what ran.
      replaceResult(this.#sdk, event, `Error: ${failureText(`no hook saw the call of ${name}`, true)}`, true);
      return;
    }
    if (call.isBlocked) return;
    const { judged, startedMs } = call;
    const { tool } = judged;
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
      // What is said to a model is no part of an answer to people.
      if (!event.tool?.delegate) addContext(this.#sdk, event, [...judged.context, ...after.context]);
    } catch (error) {
      // Not known to be harmless.
      const why = failureText(`the output of ${name} could not be looked at: ${messageOf(error)}`, true);
      replaceResult(this.#sdk, event, `Error: ${why}`, true);
    }
  }
}

const newCall = (judged: JudgedCall, isBlocked: boolean): Call => ({
  judged,
  isBlocked,
  startedMs: performance.now(),
  hasRun: false,
});

/** A call that no hook has said anything of. */
const unjudged = ({ name, toolUseId: id, input }: ToolUse): JudgedCall => ({
  kind: "block",
  reason: "",
  tool: { name, input: isJsonObject(input) ? input : {}, id },
  context: [],
});

const NO_OBJECT = "Its input is not a JSON object, so no hook could look at it.";

const CHANGED_QUESTION =
  "The program changed this call after hooks had looked at it, or ran it once more: there nobody can be waited for.";

const CHANGED_DELEGATION =
  "The program changed what this agent is asked after hooks had looked at it, or asked once more: it was not asked.";
