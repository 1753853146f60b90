/** Rights that are held in memory while something is written elsewhere: whoever changes people waits for it. */
export class Holds {
  readonly #held = new Set<Promise<void>>();

  async during<T>(work: () => Promise<T>): Promise<T> {
    let end = () => {};
    const held = new Promise<void>((done) => {
      end = done;
    });
    this.#held.add(held);
    try {
      return await work();
    } finally {
      this.#held.delete(held);
      end();
    }
  }

  /** Done at once where nothing is held. */
  waitedFor<Given extends unknown[], T>(write: (...given: Given) => Promise<T>): (...given: Given) => Promise<T> {
    return async (...given) => {
      while (this.#held.size > 0) await Promise.all(this.#held);
      return write(...given);
    };
  }
}
