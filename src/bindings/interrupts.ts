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

  /**
   * Suspends until the approval that a call waits for is decided. What resumes the run is no answer: people's is found
   * by judging again, in whatever process that is. Where a run cannot be suspended the call stays blocked, and says why.
   */
  async decided(judged: JudgedCall, judge: () => Promise<JudgedCall>): Promise<JudgedCall> {
    let now = judged;
    while (now.pendingApproval !== undefined) {
      try {
        this.#next(now);
      } catch (error) {
        if (this.#sdk.isSuspension(error)) throw error;
        return { ...now, reason: `${now.reason}\nThe run does not wait for it: ${messageOf(error)}` };
      }
      now = await judge();
    }
    return now;
  }

  /** What a person said last to all that hooks ask now. Where nobody was asked that, the call is suspended with it. */
  answerTo(judged: JudgedCall): PersonAnswer {
    try {
      this.passAnswered(judged);
      for (;;) {
        const at = this.#answers.findLastIndex((_, place) => this.#session.wasAsked(judged, place));
        if (at >= 0) return this.#sdk.answerOf(this.#answers[at]);
        this.#next(judged);
      }
    } catch (error) {
      if (this.#sdk.isSuspension(error)) throw error;
      return { allow: false, reason: `${judged.reason} Nobody could be asked: ${messageOf(error)}` };
    }
  }

  /**
   * For SDKs that know the answers of a call by their place only: takes those that were given to us and not looked at,
   * so that none of them is what the tool's own next question gets.
   */
  passAnswered(judged: JudgedCall): void {
    const put = this.#session.suspensionsOf(judged.tool.id);
    while (this.#answers.length < put) this.#next(judged);
  }

  /** The call is over. It may have waited though hooks ask nothing now. */
  close(callId: string | undefined): void {
    this.#session.forgetQuestions(callId);
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
