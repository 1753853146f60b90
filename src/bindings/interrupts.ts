/**
 * How a call waits where an SDK interrupts: the call is begun again from its beginning, and each interrupt of it then gets
 * the answer that was given in its place, whatever it asks now. So it is looked up what was asked in that place.
 */
import type { Session } from "../embed/session.ts";
import type { JudgedCall, PersonAnswer } from "../embed/tool-call.ts";
import { messageOf } from "./hook-context.ts";

export interface Interruptible {
  /** Returns the answer given in this place, or throws what suspends the run. */
  interrupt(judged: JudgedCall, at: number): unknown;
  isSuspension(error: unknown): boolean;
  answerOf(given: unknown): PersonAnswer;
}

export class Interrupts {
  readonly #session: Session;
  readonly #sdk: Interruptible;
  /** By their place, as far as they were taken since the call was begun. */
  readonly #answers: unknown[] = [];

  constructor(session: Session, sdk: Interruptible) {
    this.#session = session;
    this.#sdk = sdk;
  }

  /** Suspends until the approval is decided. False: it cannot be suspended, and the call stays blocked. */
  wait(judged: JudgedCall): boolean {
    try {
      this.#next(judged);
      return true;
    } catch (error) {
      if (this.#sdk.isSuspension(error)) throw error;
      return false;
    }
  }

  /** What a person said to all that hooks ask now. Where nobody was asked that, the call is suspended with it. */
  answerTo(judged: JudgedCall): PersonAnswer {
    try {
      for (let at = 0; ; at += 1) {
        if (at === this.#answers.length) this.#next(judged);
        if (this.#session.wasAsked(judged, at)) return this.#sdk.answerOf(this.#answers[at]);
      }
    } catch (error) {
      if (this.#sdk.isSuspension(error)) throw error;
      return { allow: false, reason: `${judged.reason} Nobody could be asked: ${messageOf(error)}` };
    }
  }

  /** The call is over. */
  close(callId: string | undefined): void {
    if (this.#answers.length > 0) this.#session.forgetQuestions(callId);
  }

  /** Takes the answer of the next place; where there is none yet, the run is suspended. */
  #next(judged: JudgedCall): void {
    const at = this.#answers.length;
    try {
      this.#answers.push(this.#sdk.interrupt(judged, at));
    } catch (error) {
      if (this.#sdk.isSuspension(error)) this.#session.suspendedWith(judged, at);
      throw error;
    }
  }
}
