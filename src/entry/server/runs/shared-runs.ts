/** Runs in a store that several machines share. It is asked now and then while somebody watches, and not otherwise. */
import type { RunStore } from "../../../runs/store.ts";
import type { RunSource } from "./run-source.ts";

export interface SharedRunsSettings {
  readonly store: RunStore;
  /** Whose runs they are. */
  readonly organisation: string;
  readonly everyMs?: number;
}

const EVERY_MS = 2_000;
/** What a page of the list shows, and a little more. */
const LOOKED_AT = 100;

export function sharedRuns({ store, organisation: own, everyMs = EVERY_MS }: SharedRunsSettings): RunSource {
  const lookAt = async (run: string | null): Promise<string> => {
    if (run !== null) return `${(await store.read(run))?.version} ${await store.driverOf(run)}`;
    const runs = await store.list({ limit: LOOKED_AT, includeArchived: true });
    return runs.map(({ id, updatedAt }) => `${id} ${updatedAt}`).join("\n");
  };
  return {
    storeOf: (organisation) => (organisation === own ? store : undefined),
    watch(organisation, run, onChange) {
      if (organisation !== own) return () => {};
      let seen: string | undefined;
      let isLooking = false;
      const look = async () => {
        if (isLooking) return;
        isLooking = true;
        try {
          const found = await lookAt(run);
          if (seen !== undefined && found !== seen) onChange();
          seen = found;
        } catch {
          // The store is away: the page says so when it is read again, and this goes on when it is back.
        } finally {
          isLooking = false;
        }
      };
      void look();
      const timer = setInterval(look, everyMs);
      timer.unref();
      return () => clearInterval(timer);
    },
  };
}
