/**
 * LangChain agents (`createAgent`) and the LangGraph below them, as one middleware. A middleware that throws ends the
 * run, and one around tools makes ordinary failures of tools fatal: so what goes wrong here becomes a message.
 */
import type { Json, JsonObject } from "../core/json.ts";
import type { Session } from "../embed/session.ts";
import type { ToolOutcome } from "../embed/tool-call.ts";
import { Interrupts } from "./interrupts.ts";
import { type Answer, Answers, outputOrFailure } from "./langchain-answers.ts";
import { JudgedRun, type Run, type Tool } from "./langchain-checked-tool.ts";
import { problemOf } from "./langchain-input-problem.ts";
import { graphInterrupts, isSuspension, knowInStep, type Runtime, waitingIdOf } from "./langchain-interrupts.ts";
import { checkRuns, markedWith } from "./langchain-runs.ts";
import { saidSince } from "./new-prompt.ts";
import { reminder } from "./reminder.ts";

export { support } from "./langchain-support.ts";

/** What of the module `langchain` is used; the program passes it in, so that its own version is the one that runs. */
export interface LangChainModule {
  // biome-ignore lint/suspicious/noExplicitAny: the types of the SDK are its own
  createMiddleware(options: any): any;
  // biome-ignore lint/suspicious/noExplicitAny: likewise
  tool(run: any, options: any): any;
  readonly ToolMessage: new (fields: object) => object;
  readonly HumanMessage: new (text: string) => object;
  readonly AIMessage: new (text: string) => object;
}

export interface LangChainOptions {
  readonly langchain: LangChainModule;
  readonly session: Session;
  /** Where hooks ask, the call is interrupted, instead of asking in process. Needs a checkpointer. */
  readonly suspend?: boolean;
}

interface Message {
  readonly content: unknown;
  readonly text?: string;
  getType?(): string;
}

export interface ToolCallRequest {
  readonly toolCall: { readonly name: string; readonly args: JsonObject; readonly id?: string };
  readonly tool?: Tool | undefined;
  readonly runtime?: Runtime & { readonly signal?: AbortSignal };
}
export type Handler = (request: ToolCallRequest) => Promise<Answer>;

/**
 * The middleware of an agent that has others too: Holdfast's before them, and a part of it after them, next to the tools,
 * which looks at whatever they run instead of the call that hooks saw.
 */
// biome-ignore lint/suspicious/noExplicitAny: middleware in the SDK's own types
export function guardedMiddleware(options: LangChainOptions, own: readonly any[]): any[] {
  return [holdfastMiddleware(options), ...own, checkRuns(options.langchain)];
}

// biome-ignore lint/suspicious/noExplicitAny: a middleware in the SDK's own types
export function holdfastMiddleware({ langchain, session, suspend = false }: LangChainOptions): any {
  /** What hooks told the model: part of every request from then on. */
  const notes: string[] = [];
  const note = (texts: readonly string[]) => {
    for (const text of texts) if (!notes.includes(text)) notes.push(text);
  };
  let begun = false;
  let continuations = 0;

  async function begin(prompt: string): Promise<string | undefined> {
    session.startTurn();
    continuations = 0;
    if (!begun) {
      begun = true;
      note((await session.fire("session_start", { source: "startup" })).context);
    }
    const submitted = await session.fire("user_prompt_submit", { prompt });
    note(submitted.context);
    return submitted.kind === "block" ? submitted.reason : undefined;
  }

  async function guarded(request: ToolCallRequest, handler: Handler) {
    const { toolCall, runtime, tool } = request;
    const { name, id = "", args } = toolCall;
    knowInStep(toolCall, runtime);
    if (session.turn === "") session.startTurn();
    const signal = runtime?.signal;
    const asked = { id: suspend ? waitingIdOf(toolCall, runtime) : id, ...(signal ? { signal } : {}) };
    const problem = problemOf(tool?.schema);
    const interrupts = suspend ? new Interrupts(session, graphInterrupts(runtime)) : undefined;

    /** From the first hook to the last. Each run is one of these: the call, and what the program made of it. */
    async function called(what: Run, run: (input: JsonObject) => Promise<Json>): Promise<ToolOutcome> {
      const call = { ...asked, name: what.name, input: what.input };
      const checks = what.problem ? { problem: what.problem } : {};
      const judge = () => session.judgeTool({ ...call, ...checks, hold: !suspend });
      const first = await judge();
      // Noted before a person is asked: an interrupt would lose it, and a session is told everything once.
      note(first.context);
      const judged = interrupts ? await interrupts.decided(first, judge) : first;
      const outcome = await session.callTool({
        ...call,
        judged,
        isSuspension,
        ...(interrupts ? { ask: () => interrupts.answerTo(judged) } : {}),
        run: (final) => {
          interrupts?.passAnswered(judged);
          return run(final);
        },
      });
      note(outcome.context);
      return outcome;
    }

    const answers = new Answers(langchain.ToolMessage, name, id);
    let answered: Answer | undefined;
    const outcome = await called({ name, input: args, problem }, async (input) => {
      const judged = new JudgedRun({ name, input, problem }, (other, run) => answers.ofOther(called, other, run));
      const passed = { ...request, tool: tool && judged.tool(tool), toolCall: { ...toolCall, args: input } };
      answered = await handler(markedWith(judged, passed));
      return outputOrFailure(answered);
    });
    interrupts?.close(asked.id);
    return answers.of(outcome, answered);
  }

  return langchain.createMiddleware({
    name: "Holdfast",
    beforeAgent: {
      canJumpTo: ["end"],
      hook: async ({ messages }: { messages: Message[] }) => {
        const refusal = await begin(promptOf(messages));
        if (refusal !== undefined) return { messages: [new langchain.AIMessage(refusal)], jumpTo: "end" };
        return undefined;
      },
    },
    wrapModelCall: (request: { messages: object[] }, handler: (request: object) => unknown) =>
      handler(
        notes.length === 0
          ? request
          : { ...request, messages: [...request.messages, new langchain.HumanMessage(reminder(notes))] },
      ),
    wrapToolCall: async (request: ToolCallRequest, handler: Handler) => {
      try {
        return await guarded(request, handler);
      } catch (error) {
        if (isSuspension(error) || request.runtime?.signal?.aborted) throw error;
        const { name, id } = request.toolCall;
        const content = `Holdfast could not judge this call: ${error instanceof Error ? error.message : error}`;
        return new langchain.ToolMessage({ content, tool_call_id: id ?? "", name, status: "error" });
      }
    },
    afterAgent: {
      canJumpTo: ["model"],
      hook: async ({ messages }: { messages: Message[] }) => {
        const lastAssistantMessage = textOfMessage(messages.at(-1));
        const stop = await session.fire("stop", { stopReason: "end_turn", lastAssistantMessage, continuations });
        if (stop.kind !== "continue") return undefined;
        continuations += 1;
        return { messages: [new langchain.HumanMessage(reminder([stop.reason, ...stop.context]))], jumpTo: "model" };
      },
    },
  });
}

export interface SubAgentToolOptions extends LangChainOptions {
  readonly name: string;
  readonly description: string;
  /** Runs the sub-agent and returns what it hands back. Give its agent a middleware of this session. */
  run(request: { readonly session: Session; readonly prompt: string; readonly signal?: AbortSignal }): Promise<string>;
}

/** A tool by which the model asks a sub-agent: hooks see it as a delegation, and the sub-agent's calls in its name. */
// biome-ignore lint/suspicious/noExplicitAny: a tool in the SDK's own types
export function subAgentTool({ langchain, session, name, description, run }: SubAgentToolOptions): any {
  const properties = { objective: { type: "string", description: "what to do" } };
  const schema = { type: "object", properties, required: ["objective"], additionalProperties: false };
  const execute = async (
    { objective }: { objective: string },
    config?: { toolCall?: { id?: string }; signal?: AbortSignal },
  ) => {
    const signal = config?.signal ? { signal: config.signal } : {};
    const { summary } = await session.delegate({
      target: name,
      objective,
      toolUseId: config?.toolCall?.id ?? "",
      ...signal,
      isSuspension,
      targetProblem: (target) =>
        target === name ? undefined : `there is no way to ask "${target}" instead of ${name}`,
      run: ({ session: child, prompt }) => run({ session: child, prompt, ...signal }),
    });
    return summary;
  };
  return langchain.tool(execute, { name, description, schema });
}

function promptOf(messages: readonly Message[]): string {
  const said = saidSince(messages, {
    isAgents: (message) => message.getType?.() === "ai",
    isPersons: (message) => message.getType?.() === "human",
  });
  return (said.length > 0 ? said : messages.slice(-1)).map(textOfMessage).join("\n");
}

const textOfMessage = (message: Message | undefined): string =>
  message?.text ?? (typeof message?.content === "string" ? message.content : JSON.stringify(message?.content ?? ""));
