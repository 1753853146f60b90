/**
 * How one call waits in LangGraph: an interrupted call runs again from its beginning, and each `interrupt` of it then
 * gets the answer that was given in its place, whatever it asks now. So it is looked up what was asked in that place.
 */
import type { Session } from "../embed/session.ts";
import { type JudgedCall, type PersonAnswer, questionText } from "../embed/tool-call.ts";
import { messageOf } from "./hook-context.ts";

interface Interruptible {
  readonly runtime?: { readonly interrupt?: (value: unknown) => unknown };
}

export class Interrupts {
  readonly #session: Session;
  readonly #interrupt: ((value: unknown) => unknown) | undefined;
  /** By their place, as far as they were taken in this run of the call. */
  readonly #answers: unknown[] = [];

  constructor(session: Session, { runtime }: Interruptible) {
    this.#session = session;
    this.#interrupt = runtime?.interrupt && ((value) => runtime.interrupt?.(value));
  }

  /** Suspends until the approval is decided. False: it cannot be suspended, and the call stays blocked. */
  wait(judged: JudgedCall): boolean {
    try {
      this.#next(judged);
      return true;
    } catch (error) {
      if (isSuspension(error)) throw error;
      return false;
    }
  }

  /** What a person said to all that hooks ask now. Where nobody was asked that, the call is suspended with it. */
  answerTo(judged: JudgedCall): PersonAnswer {
    try {
      for (let at = 0; ; at += 1) {
        if (at === this.#answers.length) this.#next(judged);
        if (this.#session.wasAsked(judged, at)) return personAnswer(this.#answers[at]);
      }
    } catch (error) {
      if (isSuspension(error)) throw error;
      return { allow: false, reason: `${judged.reason} Nobody could be asked: ${messageOf(error)}` };
    }
  }

  /** The call is over. */
  close(callId: string | undefined): void {
    if (this.#answers.length > 0) this.#session.forgetQuestions(callId);
  }

  /** Takes the answer of the next place; where there is none yet, the graph is suspended. */
  #next(judged: JudgedCall): void {
    if (!this.#interrupt) throw new Error("this graph cannot be interrupted");
    const at = this.#answers.length;
    try {
      this.#answers.push(this.#interrupt(shown(judged)));
    } catch (error) {
      if (isSuspension(error)) this.#session.suspendedWith(judged, at);
      throw error;
    }
  }
}

/** In the form of LangChain's own human-in-the-loop, so that what shows its questions shows ours. */
function shown(judged: JudgedCall) {
  const { pendingApproval, tool } = judged;
  return {
    ...(pendingApproval === undefined ? {} : { approval: pendingApproval }),
    actionRequests: [{ name: tool.name, args: tool.input, description: questionText(judged) }],
    reviewConfigs: [{ actionName: tool.name, allowedDecisions: ["approve", "reject"] }],
  };
}

function personAnswer(answer: unknown): PersonAnswer {
  const { decisions } = (answer ?? {}) as { decisions?: readonly { type?: string; message?: string }[] };
  const decision = decisions?.[0];
  if (decision?.type === "approve") return { allow: true };
  return { allow: false, ...(decision?.message === undefined ? {} : { reason: decision.message }) };
}

/** LangGraph suspends and steers by throwing: such errors are no failures. */
export const isSuspension = (error: unknown): boolean =>
  typeof error === "object" && error !== null && (error as { is_bubble_up?: unknown }).is_bubble_up === true;
