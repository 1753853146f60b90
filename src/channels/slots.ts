/** So many at once for each key: what hangs for one holds up no other. */
export class Slots {
  readonly #each: number;
  readonly #busy = new Map<string, number>();
  readonly #waiting = new Map<string, (() => void)[]>();

  constructor(each: number) {
    this.#each = each;
  }

  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    if ((this.#busy.get(key) ?? 0) >= this.#each)
      await new Promise<void>((resolve) => this.#waiting.set(key, [...(this.#waiting.get(key) ?? []), resolve]));
    else this.#busy.set(key, (this.#busy.get(key) ?? 0) + 1);
    try {
      return await work();
    } finally {
      this.#passOn(key);
    }
  }

  /** To the one that waited longest, or back. */
  #passOn(key: string): void {
    const [next, ...rest] = this.#waiting.get(key) ?? [];
    if (rest.length > 0) this.#waiting.set(key, rest);
    else this.#waiting.delete(key);
    if (next) return next();
    const left = (this.#busy.get(key) ?? 1) - 1;
    if (left > 0) this.#busy.set(key, left);
    else this.#busy.delete(key);
  }
}
