/**
 * Does what is due: expiry, reminders, escalation. It sleeps until the next of them, and is woken when something changes.
 * Every server has one; each step is stored over the version it was made from, so of several one does it.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Approvals } from "../../approvals/service.ts";
import type { Stores, Unwatch } from "../../approvals/store.ts";
import { nextDueAt } from "../../approvals/transition.ts";

export interface Sweeper {
  close(): Promise<void>;
}

const LOOK_AHEAD_MS = 60_000;
/** However busy the store is, it is not asked more often than this. */
const REST_MS = 100;
const RETRY_MS = 5_000;
const KEPT_EVERY_MS = 10 * 60_000;

export function startSweeper(stores: Stores, approvals: Approvals, log: (line: string) => void): Sweeper {
  const closing = new AbortController();
  let wake = new AbortController();
  let unwatch: Unwatch | undefined;
  let keptSweptAt = 0;

  const round = async (): Promise<number> => {
    unwatch ??= await stores.watch(null, () => wake.abort());
    await approvals.sweep();
    const now = stores.now().getTime();
    if (now - keptSweptAt >= KEPT_EVERY_MS) {
      keptSweptAt = now;
      await stores.sweep();
    }
    const [next] = await stores.due(new Date(now + LOOK_AHEAD_MS), 1);
    const dueAt = next && nextDueAt(next);
    return dueAt === undefined ? LOOK_AHEAD_MS : Math.max(0, Date.parse(dueAt) - now);
  };

  const run = async () => {
    while (!closing.signal.aborted) {
      wake = new AbortController();
      let untilNextMs = RETRY_MS;
      try {
        untilNextMs = await round();
      } catch (error) {
        log(`what is due waits for the store: ${error instanceof Error ? error.message : String(error)}`);
      }
      await slept(REST_MS, closing.signal);
      if (!closing.signal.aborted) await slept(Math.max(0, untilNextMs - REST_MS), wake.signal);
    }
  };

  const running = run();
  return {
    async close() {
      closing.abort();
      wake.abort();
      await running;
      unwatch?.();
    },
  };
}

async function slept(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => {});
}
