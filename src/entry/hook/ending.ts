/** That whoever waits for an answer is gone. An AbortSignal would cost every call more than it is worth. */
export class Ending {
  #isOver = false;
  readonly #listeners = new Set<() => void>();

  get isOver(): boolean {
    return this.#isOver;
  }

  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    for (const listener of this.#listeners) listener();
  }

  /** Called once, at once if it is over; returns how to stop listening. */
  whenOver(listener: () => void): () => void {
    if (this.#isOver) listener();
    else this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
