/** What each rule of a store is given: two connections to one store, and names of its own in it. */
import type { Stores } from "../approvals/store.ts";

export interface Pair {
  readonly one: () => Stores;
  readonly other: () => Stores;
}

let named = 0;
/** A name nobody else uses in this store: rules share one. */
export const unique = (what: string) => `${what}-${process.pid}-${++named}`;
