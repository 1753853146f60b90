/** Questions to hooks that have begun and are not over, so that whoever closes can wait for them and their records. */
export class UnderWay {
  readonly #works = new Set<object>();
  readonly #waiting = new Set<() => void>();
  readonly #onOver: () => void;

  /** `onOver`: hears of each that is over. */
  constructor(onOver: () => void) {
    this.#onOver = onOver;
  }

  /** `waits` says that it waits for people from now on: nobody who closes waits for them. */
  during<T>(begin: (waits: () => void) => Promise<T>): Promise<T> {
    const key = {};
    const leave = () => {
      this.#works.delete(key);
      for (const look of this.#waiting) look();
    };
    const end = () => {
      leave();
      this.#onOver();
    };
    this.#works.add(key);
    const work = begin(leave);
    work.then(end, end);
    return work;
  }

  /** Until what is under way now is over. Not for ever: the hook that is being asked may be what closes. */
  over(mostMs: number): Promise<void> {
    const begun = [...this.#works];
    if (begun.length === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        this.#waiting.delete(look);
        resolve();
      };
      const look = () => {
        if (!begun.some((work) => this.#works.has(work))) done();
      };
      const timer = setTimeout(done, mostMs);
      this.#waiting.add(look);
    });
  }
}
