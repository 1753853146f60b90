/**
 * The events of one agent. Those of an agent that is asked with `delegate: true` come by the hooks of whoever asked as well,
 * where they would be taken for calls and ends of that one: an agent that has a guard is left to it.
 */
import type { StrandsAgent } from "./strands-shapes.ts";

const guarded = new WeakSet<object>();

export const isGuarded = (agent: StrandsAgent): boolean => guarded.has(agent);

export class OwnEvents {
  readonly #agent: StrandsAgent;

  constructor(agent: StrandsAgent) {
    this.#agent = agent;
    guarded.add(agent);
  }

  on<E extends { readonly agent: StrandsAgent }>(
    event: object,
    callback: (event: E) => void | Promise<void>,
    options?: { readonly order: number },
  ): void {
    const isOthers = ({ agent }: E) => agent !== this.#agent && guarded.has(agent);
    this.#agent.addHook(event, (fired: E) => (isOthers(fired) ? undefined : callback(fired)), options);
  }
}
