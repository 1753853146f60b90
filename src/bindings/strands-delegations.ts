/** Agents as tools: a delegation begins before the tool runs and is over after it, in two hooks of the SDK. */
import type { JsonObject } from "../core/json.ts";
import type { Delegated } from "../embed/delegation.ts";
import type { Session } from "../embed/session.ts";
import { failureText } from "../hosts/answer-text.ts";
import { messageOf } from "./hook-context.ts";
import { replaceResult } from "./strands-result.ts";
import type { AfterToolCall, StrandsSdk, ToolUse } from "./strands-shapes.ts";
import { responseOf } from "./strands-values.ts";

/** A sub-agent at work: its end is told here, and what hooks made of it read there. */
interface Running {
  finish(outcome: { readonly failed: boolean; readonly text: string }): void;
  readonly delegated: Promise<Delegated>;
}

export class Delegations {
  readonly #sdk: StrandsSdk;
  /** By the call that asked: two may have one id. */
  readonly #running = new Map<object, Running>();

  constructor(sdk: StrandsSdk) {
    this.#sdk = sdk;
  }

  /** `begins`: whom the child acts as, before it does anything; until what it returns is called. */
  async start(
    call: object,
    session: Session,
    { toolUseId, name: target }: ToolUse,
    input: JsonObject,
    begins: (child: Session) => () => void,
  ): Promise<{ readonly input: JsonObject } | { readonly blocked: string }> {
    const objective = typeof input.input === "string" ? input.input : JSON.stringify(input);
    let finish: Running["finish"] = () => {};
    const finished = new Promise<string>((resolve, reject) => {
      finish = ({ failed, text }) => (failed ? reject(new Error(text)) : resolve(text));
    });
    let begin: (prompt: string) => void = () => {};
    const begun = new Promise<{ readonly prompt: string }>((resolve) => {
      begin = (prompt) => resolve({ prompt });
    });
    const delegated = session.delegate({
      target,
      objective,
      toolUseId,
      targetProblem: (other) =>
        other === target ? undefined : `this tool asks ${target}; call the tool of ${other} instead`,
      run: ({ session: child, prompt }) => {
        child.startTurn();
        const isOver = begins(child);
        begin(prompt);
        return finished.finally(isOver);
      },
    });
    try {
      const first = await Promise.race([begun, delegated]);
      if (!("prompt" in first)) return { blocked: first.summary };
      this.#running.set(call, { finish, delegated });
      return { input: { ...input, input: first.prompt } };
    } catch (error) {
      return { blocked: failureText(messageOf(error), true) };
    }
  }

  async end(call: object, event: AfterToolCall): Promise<void> {
    const running = this.#running.get(call);
    if (!running) return;
    this.#running.delete(call);
    const response = responseOf(event.result);
    const text = typeof response === "string" ? response : JSON.stringify(response);
    const failed = event.result.status === "error";
    running.finish({ failed, text });
    try {
      const { summary } = await running.delegated;
      if (summary !== text) replaceResult(this.#sdk, event, summary, failed);
    } catch (error) {
      process.stderr.write(`holdfast: the end of a delegation was not looked at: ${messageOf(error)}\n`);
    }
  }

  /** The invocation is over: what was asked in it and has not come back will not. */
  async abandonAll(): Promise<void> {
    const abandoned = [...this.#running.values()];
    this.#running.clear();
    for (const { finish } of abandoned) finish({ failed: true, text: ABANDONED });
    for (const { delegated } of abandoned) {
      await delegated.catch((error) =>
        process.stderr.write(`holdfast: the end of a delegation was not looked at: ${messageOf(error)}\n`),
      );
    }
  }
}

const ABANDONED = "whoever asked ended before an answer came";
