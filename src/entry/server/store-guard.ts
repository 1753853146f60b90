/** Tells failures of the store from our own mistakes: the former mend themselves, and are answered with 503. */
import { RightLost } from "../../approvals/actor.ts";
import type { ActorStore, ActorWrites, Stores } from "../../approvals/store.ts";
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
      if (name === WORK_OF_SOMEBODY) return holdingGuarded(member.bind(target) as ActorWrites["holding"]);
      return (...args: unknown[]) => {
        const answer: unknown = member.apply(target, args);
        if (answer instanceof Promise) return answer.catch((cause: unknown) => fail(String(name), cause));
        return name === WRITES_OF_SOMEBODY ? guarded(answer as ActorWrites) : answer;
      };
    },
  });
}

const WRITES_OF_SOMEBODY: keyof ActorStore = "by";
const WORK_OF_SOMEBODY: keyof ActorWrites = "holding";

/** What the work fails with is no failure of the store. */
const holdingGuarded = (holding: ActorWrites["holding"]): ActorWrites["holding"] =>
  async function held<T>(work: () => Promise<T>): Promise<T> {
    let done: Promise<T> | undefined;
    try {
      return await holding(async () => {
        done = work();
        return await done;
      });
    } catch (cause) {
      return done ?? fail(WORK_OF_SOMEBODY, cause);
    }
  };

function fail(what: string, cause: unknown): never {
  // A right that was lost, and a cursor that no list gave out, are the affair of whoever asked.
  if (cause instanceof RightLost) throw cause;
  if (cause instanceof HoldfastError && cause.code === "HF921") throw cause;
  throw new StoreDown(`${what}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
}
