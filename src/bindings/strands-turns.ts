/** The turns of an agent that people talk to: the prompt looked at where one begins, and its end put off where hooks say so. */
import type { Session } from "../embed/session.ts";
import { reminder } from "./reminder.ts";
import { OwnEvents } from "./strands-own-events.ts";
import { LAST, type StrandsAgent, type StrandsSdk } from "./strands-shapes.ts";
import { type ModelStop, type NewMessage, stopByTools } from "./strands-stop.ts";
import { isPlain, isRecord, promptOf } from "./strands-values.ts";
import { beginTurn, continuation } from "./turn.ts";

interface OfAgent {
  readonly agent: StrandsAgent;
}

export class Turns {
  readonly #sdk: StrandsSdk;
  readonly #session: Session;
  #last: ModelStop | undefined;
  #continuations = 0;

  constructor(sdk: StrandsSdk, session: Session) {
    this.#sdk = sdk;
    this.#session = session;
  }

  guard(agent: StrandsAgent): void {
    const { AfterInvocationEvent, AfterModelCallEvent, MessageAddedEvent } = this.#sdk;
    const stream = agent.stream.bind(agent);
    const begin = (args: unknown, options: unknown) => this.#begin(agent, args, options);
    agent.stream = async function* (args: unknown, options?: unknown) {
      const begun = await begin(args, options);
      if ("refusal" in begun) return begun.refusal;
      return yield* stream(begun.args, options);
    };
    const events = new OwnEvents(agent);
    events.on<OfAgent & { readonly stopData?: ModelStop }>(AfterModelCallEvent, ({ stopData }) => {
      this.#last = stopData;
    });
    events.on<OfAgent & { readonly message: NewMessage }>(MessageAddedEvent, ({ message }) => {
      this.#last = stopByTools(this.#last, message) ?? this.#last;
    });
    events.on<OfAgent & { resume?: unknown }>(AfterInvocationEvent, (event) => this.#end(event), LAST);
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
}
