/**
 * Vercel AI SDK, 6 and 7. Tools are guarded where they are executed: callbacks of the SDK swallow what they throw, and
 * its own refining of inputs checks nothing. So both versions behave alike; 7 adds the reason to a question.
 */
import { type Json, type JsonObject, sameJson } from "../core/json.ts";
import type { Session } from "../embed/session.ts";
import { type InputProblem, type JudgedCall, questionText } from "../embed/tool-call.ts";
import { approvalOf, deniedIn, type Message, promptOf } from "./ai-sdk-messages.ts";
import { modelOutput } from "./ai-sdk-model-output.ts";
import { isToolSearch, withCaller } from "./ai-sdk-special-tools.ts";
import { lastOf, toolInput } from "./ai-sdk-values.ts";
import { schemaProblem } from "./json-schema.ts";
import { JudgedCalls } from "./judged-calls.ts";
import { asJson, rebuilt } from "./rebuilt-output.ts";
import { reminder } from "./reminder.ts";

export { support } from "./ai-sdk-support.ts";

/** What of the module `ai` is used; the program passes it in, so that its own version is the one that runs. */
export interface AiSdkModule {
  // biome-ignore lint/suspicious/noExplicitAny: the types of the SDK are its own, and differ by version
  generateText(options: any): Promise<any>;
  // biome-ignore lint/suspicious/noExplicitAny: likewise
  asSchema(schema: any): Schema;
  // biome-ignore lint/suspicious/noExplicitAny: likewise
  jsonSchema(schema: any): unknown;
  /** Only in 7. */
  readonly registerTelemetry?: unknown;
}

interface Schema {
  readonly jsonSchema: unknown;
  readonly validate?: (value: unknown) => unknown;
}

interface Tool {
  readonly inputSchema?: unknown;
  readonly execute?: (input: never, options: ExecuteOptions) => unknown;
  readonly needsApproval?: boolean | ((input: never, options: ApprovalOptions) => boolean | PromiseLike<boolean>);
  readonly [key: string]: unknown;
}
type Tools = Readonly<Record<string, Tool>>;
interface ApprovalOptions {
  readonly toolCallId: string;
  readonly messages: readonly Message[];
}
interface ExecuteOptions extends ApprovalOptions {
  readonly abortSignal?: AbortSignal;
}

export interface AiSdkGuardOptions {
  readonly ai: AiSdkModule;
  readonly session: Session;
  /** Where hooks ask, the run ends with an approval request of the SDK, instead of asking in process. */
  readonly suspend?: boolean;
  /** Tools that are run without their `execute` (by a provider, a client, the SDK): hooks do not see them, so each must be named here. */
  readonly unguarded?: readonly string[];
}

/** A prompt that hooks refused: no model has seen it. */
export class PromptBlocked extends Error {
  override readonly name = "PromptBlocked";
}

export interface SubAgentOptions {
  readonly name: string;
  readonly description: string;
  /** Runs the sub-agent, guarded in its own name, and returns what it hands back. */
  run(request: { readonly guard: AiSdkGuard; readonly prompt: string; readonly signal?: AbortSignal }): Promise<string>;
}

type Settings = Readonly<Record<string, unknown>>;

/** Guards one conversation. */
export class AiSdkGuard {
  readonly #options: AiSdkGuardOptions;
  /** What hooks told the model; part of every request from then on, since the caller keeps the history, not we. */
  readonly #notes: string[] = [];
  readonly #judged = new JudgedCalls();
  readonly #questions = new Map<string, string>();
  readonly #denied = new Set<string>();
  /** Those that are guarded, with what they were made from. */
  readonly #tools = new WeakMap<Tool, { readonly name: string; readonly tool: Tool }>();
  readonly #ours = new WeakMap<object, unknown>();
  /** Calls whose output hooks changed. */
  readonly #changed = new Set<string>();
  #begun = false;

  constructor(options: AiSdkGuardOptions) {
    this.#options = options;
  }

  /** The whole of a turn: the prompt, the steps, and the end that hooks may put off. */
  // biome-ignore lint/suspicious/noExplicitAny: as the SDK's own
  async generateText<O extends Settings>(options: O): Promise<any> {
    const { session, ai } = this.#options;
    const { prompt: given, messages: earlier, ...rest } = options;
    let messages = typeof given === "string" ? [user(given)] : [...((given ?? earlier ?? []) as Message[])];
    const prompt = promptOf(messages);
    if (prompt !== undefined) await this.begin(prompt);
    const settings = this.settings(rest);
    for (let continuations = 0; ; continuations += 1) {
      const result = await ai.generateText({ ...settings, messages });
      if (result.finishReason !== "stop") return result;
      const end = { stopReason: "stop", lastAssistantMessage: String(result.text ?? ""), continuations };
      const stop = await session.fire("stop", end, signalOf(rest));
      if (stop.kind !== "continue") return result;
      const goOn = user(reminder([stop.reason, ...stop.context]));
      messages = [...messages, ...messagesOf(result), goOn];
    }
  }

  /** Begins a turn, where the program calls the model itself (`streamText`, an agent). Throws if hooks block the prompt. */
  async begin(prompt: string): Promise<void> {
    const { session } = this.#options;
    session.startTurn();
    if (!this.#begun) {
      this.#begun = true;
      this.#note((await session.fire("session_start", { source: "startup" })).context);
    }
    const submitted = await session.fire("user_prompt_submit", { prompt });
    if (submitted.kind === "block") throw new PromptBlocked(submitted.reason);
    this.#note(submitted.context);
  }

  async end(reason: string): Promise<void> {
    await this.#options.session.fire("session_end", { reason });
  }

  /** The settings of a call or an agent, guarded. What is guarded already stays as it is. */
  settings<O extends Settings>(settings: O): O & Settings {
    const tools = (settings.tools ?? {}) as Tools;
    const { prepareStep, prepareCall, toolApproval } = settings;
    const approves = this.#options.suspend && this.#isVersion7;
    return {
      ...settings,
      tools: this.tools(tools),
      prepareStep: this.#once(prepareStep, (own) => this.#prepareStep(own)),
      ...(prepareCall === undefined
        ? {}
        : { prepareCall: this.#once(prepareCall, (own) => this.#prepareCall(own, settings)) }),
      ...(approves ? { toolApproval: this.#once(toolApproval, (own) => this.#toolApproval(own, tools)) } : {}),
    };
  }

  /** An agent's own preparation is given ours, and may hand it on: then ours is made anew from what it was made from. */
  #once(setting: unknown, guarded: (own: unknown) => object): object {
    const own = typeof setting === "function" && this.#ours.has(setting) ? this.#ours.get(setting) : setting;
    const ours = guarded(own);
    this.#ours.set(ours, own);
    return ours;
  }

  #prepareStep(given: unknown) {
    const own = given as ((step: { messages: Message[] }) => unknown) | undefined;
    return async (step: { messages: Message[] }) => {
      const prepared = ((await own?.(step)) ?? {}) as { messages?: Message[] };
      const messages = prepared.messages ?? step.messages;
      this.#forgetDenied(step.messages);
      const shown = JSON.stringify(messages);
      const news = this.#notes.filter((note) => !shown.includes(JSON.stringify(note).slice(1, -1)));
      return news.length === 0 ? prepared : { ...prepared, messages: [...messages, user(reminder(news))] };
    };
  }

  /** Of an agent: what it makes of the settings is what runs, its tools too. */
  #prepareCall(given: unknown, settings: Settings) {
    const own = given as (call: Settings) => unknown;
    return async (call: Settings) => {
      const prepared = (await own.call(settings, call)) as Settings | null | undefined;
      return prepared ? this.settings(prepared) : prepared;
    };
  }

  /** Tools that ask hooks before and after they run. */
  tools<T extends Tools>(tools: T): T {
    const guarded = Object.entries(tools).map(([name, tool]) => [name, this.#guarded(name, tool)]);
    return Object.fromEntries(guarded) as T;
  }

  /** A tool by which the model asks a sub-agent: hooks see it as a delegation, and the sub-agent's calls in its name. */
  subAgent({ name, description, run }: SubAgentOptions): Tool {
    const { ai, session } = this.#options;
    const properties = { objective: { type: "string", description: "what to do" } };
    return {
      description,
      inputSchema: ai.jsonSchema({ type: "object", properties, required: ["objective"], additionalProperties: false }),
      execute: async ({ objective }: { objective: string }, { toolCallId, abortSignal }: ExecuteOptions) => {
        const signal = abortSignal ? { signal: abortSignal } : {};
        const { summary } = await session.delegate({
          target: name,
          objective,
          toolUseId: toolCallId,
          ...signal,
          targetProblem: (target) =>
            target === name ? undefined : `there is no way to ask "${target}" instead of ${name}`,
          run: ({ session: child, prompt }) =>
            run({ guard: new AiSdkGuard({ ...this.#options, session: child, suspend: false }), prompt, ...signal }),
        });
        return summary;
      },
    };
  }

  /** What a person is asked, where the approval request does not say it (AI SDK 6). */
  questionOf(toolCallId: string): string | undefined {
    return this.#questions.get(toolCallId);
  }

  get #isVersion7(): boolean {
    return this.#options.ai.registerTelemetry !== undefined;
  }

  #guarded(name: string, given: Tool): Tool {
    const made = this.#tools.get(given);
    if (made?.name === name) return given;
    const tool = made?.tool ?? given;
    const { execute } = tool;
    if (!execute || isToolSearch(tool)) {
      if (this.#options.unguarded?.includes(name)) return tool;
      const why = execute ? "is run by the SDK past its execute" : "has no execute: a provider or a client runs it";
      throw new Error(
        `the tool "${name}" ${why}, and hooks would not see it. Leave it out, or name it in \`unguarded\`.`,
      );
    }
    const wrapped: Tool = {
      ...tool,
      ...(this.#options.suspend && !this.#isVersion7 ? { needsApproval: this.#needsApproval(name, tool) } : {}),
      ...modelOutput(name, tool.toModelOutput, (id) => this.#changed.has(id)),
      execute: (input: unknown, options: ExecuteOptions) => this.#execute(name, tool, execute, input, options),
    };
    const guarded = withCaller(wrapped, tool, (bound) => this.#guarded(name, bound as Tool));
    this.#tools.set(guarded, { name, tool });
    return guarded;
  }

  async #execute(
    name: string,
    tool: Tool,
    execute: NonNullable<Tool["execute"]>,
    given: unknown,
    options: ExecuteOptions,
  ): Promise<unknown> {
    const { toolCallId, messages, abortSignal } = options;
    const { session } = this.#options;
    if (session.turn === "") session.startTurn();
    const input = toolInput(given);
    const judged = this.#judged.take({ name, id: toolCallId, input, turn: session.turn });
    const isApproved = approvalOf(messages, toolCallId) === true;
    let raw: unknown;
    const outcome = await session.callTool({
      name,
      input,
      id: toolCallId,
      hold: !this.#options.suspend,
      problem: await this.#problemOf(tool),
      ...(abortSignal ? { signal: abortSignal } : {}),
      ...(judged ? { judged } : {}),
      ...(isApproved ? { answered: { allow: true } as const } : {}),
      run: async (final) => {
        const parsed = sameJson(final, input) ? given : await this.#parsed(tool, final);
        raw = await lastOf(execute(parsed as never, options));
        return asJson(raw);
      },
    });
    this.#note(outcome.context);
    if (outcome.status === "blocked") throw new Error(outcome.reason);
    if (outcome.failed) throw new Error(textOf(outcome.output));
    const output = rebuilt(raw, outcome.output);
    if (output !== raw) this.#changed.add(toolCallId);
    return output;
  }

  async #problemOf({ inputSchema }: Tool): Promise<InputProblem> {
    if (inputSchema === undefined) return () => undefined;
    return schemaProblem(asJson(await this.#options.ai.asSchema(inputSchema).jsonSchema) as JsonObject);
  }

  /** A rewritten input as the tool's own schema reads it: the SDK checked only what the model wrote. */
  async #parsed({ inputSchema }: Tool, rewritten: JsonObject): Promise<unknown> {
    const result =
      inputSchema === undefined ? undefined : await this.#options.ai.asSchema(inputSchema).validate?.(rewritten);
    if (result === undefined) return rewritten;
    const { success, value, error } = result as { success: boolean; value?: unknown; error?: Error };
    if (success) return value;
    throw new Error(`Not run: what hooks made of the input does not fit the tool's schema: ${error?.message}`);
  }

  /** Asks hooks whether a person must be asked. What they said is kept for the execution. */
  async #judge(
    name: string,
    tool: Tool,
    given: unknown,
    { toolCallId: id, messages }: ApprovalOptions,
  ): Promise<JudgedCall> {
    const { session } = this.#options;
    if (session.turn === "") session.startTurn();
    const input = toolInput(given);
    const call = { name, input, id };
    // What an approval callback throws ends the whole run: a call that cannot be judged is blocked instead.
    const judged = await this.#problemOf(tool)
      .then(async (problem) => {
        const found = await session.judgeTool({ ...call, problem, hold: false });
        if (needsPerson(found) && approvalOf(messages, id) === undefined) session.suspendedWith(found);
        return found;
      })
      .catch((error): JudgedCall => ({ kind: "block", reason: unjudged(error), tool: call, context: [] }));
    // People may have decided by the time it is executed.
    if (judged.pendingApproval === undefined) this.#judged.keep({ ...call, turn: session.turn }, judged);
    this.#note(judged.context);
    if (needsPerson(judged)) this.#questions.set(id, questionOf(judged, input));
    return judged;
  }

  /** AI SDK 7: this stands in for approvals of the tools themselves, so theirs are asked here too. */
  #toolApproval(own: unknown, tools: Tools) {
    return async (request: {
      toolCall: { toolName: string; toolCallId: string; input: unknown };
      messages: Message[];
    }) => {
      const { toolName, toolCallId, input } = request.toolCall;
      const tool = Object.hasOwn(tools, toolName) ? tools[toolName] : undefined;
      if (!tool?.execute) return undefined;
      const judged = await this.#judge(toolName, tool, input, { toolCallId, messages: request.messages });
      if (needsPerson(judged)) return { type: "user-approval", reason: this.#questions.get(toolCallId) };
      if (judged.kind === "block") return undefined;
      if (typeof own === "function") return own(request);
      const forTool = (own as Record<string, unknown> | undefined)?.[toolName];
      if (typeof forTool === "function") return forTool(input, { ...request, toolCallId });
      if (forTool !== undefined) return forTool;
      return (await ownApproval(tool, input, { toolCallId, messages: request.messages })) ? "user-approval" : undefined;
    };
  }

  /** AI SDK 6: on resume it takes a no for a refusal in its own words; what hooks block then says why itself. */
  #needsApproval(name: string, tool: Tool) {
    return async (input: unknown, options: ApprovalOptions): Promise<boolean> => {
      const judged = await this.#judge(name, tool, input, options);
      if (approvalOf(options.messages, options.toolCallId) !== undefined) return true;
      return needsPerson(judged) || (judged.kind === "run" && ownApproval(tool, input, options));
    };
  }

  #forgetDenied(messages: readonly Message[]): void {
    if (!this.#options.suspend) return;
    for (const id of deniedIn(messages)) {
      if (!this.#denied.has(id)) this.#options.session.forgetQuestions(id);
      this.#denied.add(id);
    }
  }

  #note(texts: readonly string[]): void {
    for (const text of texts) if (!this.#notes.includes(text)) this.#notes.push(text);
  }
}

const needsPerson = ({ kind, pendingApproval }: JudgedCall) => kind === "ask" || pendingApproval !== undefined;

const user = (content: string): Message => ({ role: "user", content });

/** In 7 `response.messages` are those of the last step only. */
const messagesOf = (result: { responseMessages?: Message[]; response: { messages: Message[] } }): Message[] =>
  result.responseMessages ?? result.response.messages;

const textOf = (output: Json): string => (typeof output === "string" ? output : JSON.stringify(output));

const signalOf = ({ abortSignal }: Settings) => abortSignal as AbortSignal | undefined;

const unjudged = (error: unknown) =>
  `Holdfast could not judge this call: ${error instanceof Error ? error.message : String(error)}`;

async function ownApproval({ needsApproval }: Tool, input: unknown, options: ApprovalOptions): Promise<boolean> {
  return typeof needsApproval === "function" ? needsApproval(input as never, options) : needsApproval === true;
}

/** The person must see what would run, not only what the model asked for. */
const questionOf = (judged: JudgedCall, given: JsonObject): string =>
  sameJson(judged.tool.input, given)
    ? questionText(judged)
    : `${questionText(judged)} (changed by hooks, it would run with ${JSON.stringify(judged.tool.input)})`;
