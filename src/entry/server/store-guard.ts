/** Tells failures of the store from our own mistakes: the former mend themselves, and are answered with 503. */
import type { Stores } from "../../approvals/store.ts";
import { HoldfastError } from "../../core/errors.ts";

export class StoreDown extends Error {
  override readonly name = "StoreDown";
}

/** The same stores; whatever one of their promises rejects with is a StoreDown with that cause. */
export function guardedStores(stores: Stores): Stores {
  return new Proxy(stores, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== "function") return member;
      return (...args: unknown[]) => {
        const answer: unknown = member.apply(target, args);
        return answer instanceof Promise ? answer.catch((cause: unknown) => fail(String(name), cause)) : answer;
      };
    },
  });
}

function fail(what: string, cause: unknown): never {
  // A cursor that no list gave out is the mistake of whoever sent it.
  if (cause instanceof HoldfastError && cause.code === "HF921") throw cause;
  throw new StoreDown(`${what}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
}
