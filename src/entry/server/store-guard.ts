/** Tells failures of the store from our own mistakes: the former mend themselves, and are answered with 503. */
import { RightLost } from "../../approvals/actor.ts";
import type { ActorStore, DirectoryWrites, Stores } from "../../approvals/store.ts";
import { HoldfastError } from "../../core/errors.ts";

export class StoreDown extends Error {
  override readonly name = "StoreDown";
}

/** The same stores; whatever one of their promises rejects with is a StoreDown with that cause. */
export const guardedStores = (stores: Stores): Stores => guarded(stores);

function guarded<Members extends object>(members: Members): Members {
  return new Proxy(members, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== "function") return member;
      return (...args: unknown[]) => {
        const answer: unknown = member.apply(target, args);
        if (answer instanceof Promise) return answer.catch((cause: unknown) => fail(String(name), cause));
        return name === WRITES_OF_SOMEBODY ? guarded(answer as DirectoryWrites) : answer;
      };
    },
  });
}

const WRITES_OF_SOMEBODY: keyof ActorStore = "by";

function fail(what: string, cause: unknown): never {
  // A right that was lost, and a cursor that no list gave out, are the affair of whoever asked.
  if (cause instanceof RightLost) throw cause;
  if (cause instanceof HoldfastError && cause.code === "HF921") throw cause;
  throw new StoreDown(`${what}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
}
