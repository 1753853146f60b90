/** Requests on their way to one side that are answered to us, not passed on: each answer is taken once. */
import type { Json } from "../core/json.ts";

export type Id = string | number;
export type Message = { readonly [key: string]: Json };

export const isId = (id: unknown): id is Id => typeof id === "string" || typeof id === "number";

export class PendingAnswers {
  readonly #waiting = new Map<Id, (answer: Message) => void>();

  expect(id: Id, taken: (answer: Message) => void): void {
    this.#waiting.set(id, taken);
  }

  has(id: Id): boolean {
    return this.#waiting.has(id);
  }

  forget(id: Id): void {
    this.#waiting.delete(id);
  }

  /** Whether somebody waited for this answer. */
  take(message: Message): boolean {
    const { id } = message;
    const taken = isId(id) ? this.#waiting.get(id) : undefined;
    if (!isId(id) || !taken) return false;
    this.#waiting.delete(id);
    taken(message);
    return true;
  }

  answerTo(id: Id, signal: AbortSignal, send: () => void): Promise<Message> {
    return new Promise((resolve, reject) => {
      const abort = () => reject(new Error("the call was cancelled"));
      if (signal.aborted) return abort();
      signal.addEventListener("abort", abort, { once: true });
      this.expect(id, (answer) => {
        signal.removeEventListener("abort", abort);
        resolve(answer);
      });
      send();
    });
  }
}
