/** A question on its way, and whoever waits for its answer. */
import type { HookFailure } from "../core/failure.ts";
import type { Answer, Call, Question } from "./module-seat.ts";

export class PendingCall implements Call {
  readonly question: Question;
  /** Where it was there before anybody waited. */
  answer: Answer | undefined;
  printed = "";
  again = false;
  #failure: HookFailure | undefined;
  #settle: ((answer: Answer | undefined, failure: HookFailure | undefined) => void) | undefined;

  constructor(question: Question) {
    this.question = question;
  }

  resolve(answer: Answer): void {
    this.answer = answer;
    this.#settle?.(answer, undefined);
  }

  reject(failure: HookFailure): void {
    this.#failure = failure;
    this.#settle?.(undefined, failure);
  }

  /** Until it is answered. `onAbort` is to end the call. */
  until(signal: AbortSignal, onAbort: () => void): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#settle = (answer, failure) => {
        signal.removeEventListener("abort", onAbort);
        if (answer) resolve(answer);
        else reject(failure);
      };
      signal.addEventListener("abort", onAbort);
      if (this.#failure) this.reject(this.#failure);
      else if (signal.aborted) onAbort();
    });
  }
}
