/** A map over another map: a subshell sees what its shell knows, and changes only its own. Copying costs nothing. */
export class Layers<V> {
  readonly #own = new Map<string, V | undefined>();
  readonly #below: Layers<V> | undefined;

  constructor(below?: Layers<V>) {
    this.#below = below;
  }

  get(name: string): V | undefined {
    for (let layer: Layers<V> | undefined = this; layer; layer = layer.#below) {
      if (layer.#own.has(name)) return layer.#own.get(name);
    }
    return undefined;
  }

  set(name: string, value: V): this {
    this.#own.set(name, value);
    return this;
  }

  delete(name: string): void {
    this.#own.set(name, undefined);
  }

  /** What was changed here is changed for the map below, too. */
  handDown(isKept: (name: string) => boolean): void {
    const below = this.#below;
    if (below) for (const [name, value] of this.#own) if (!isKept(name)) below.#own.set(name, value);
  }
}
