/** Runs that wait for other runs, and may yet be taken: a worker that goes on until nothing is left stays for them. */
import { dependenciesOf } from "../../runs/dependencies.ts";
import { bucketOf } from "../../runs/files/run-places.ts";
import type { RunQueue } from "../../runs/queue.ts";
import type { Run } from "../../runs/run.ts";
import type { OpenRuns } from "./ports.ts";

export interface AwaitedRuns {
  /** It was taken; whether it waits is to be seen. */
  begin(run: string): void;
  /** It waits for others. */
  note(run: Run): Promise<void>;
  any(): Promise<boolean>;
}

export function awaitedRuns(runs: OpenRuns, queue: RunQueue, notHere: ReadonlyMap<string, number>): AwaitedRuns {
  const waiting = new Set<string>();
  /** What they wait for is neither worked on nor going to be. */
  const inVain = new Set<string>();
  const { repositories, backends } = runs.worker;

  const mayStillSucceed = async (id: string): Promise<boolean> => {
    if ((await runs.store.driverOf(id)) !== undefined) return true;
    const entry = await queue.find(id);
    if (entry?.state === "taken") return true;
    if (entry?.state !== "waiting" || notHere.has(id) || inVain.has(id)) return false;
    const isOurs = (names: readonly string[] | undefined, name: string) => names?.includes(name) ?? true;
    return isOurs(repositories?.map(bucketOf), entry.repo) && isOurs(backends, entry.backend);
  };

  return {
    begin(run) {
      waiting.delete(run);
      inVain.delete(run);
    },
    async note(run) {
      const others = await dependenciesOf(runs, run);
      const unmet = others.filter(({ status }) => status !== "success");
      const isHopeful = (await Promise.all(unmet.map(({ id }) => mayStillSucceed(id)))).every(Boolean);
      (isHopeful ? waiting : inVain).add(run.id);
    },
    async any() {
      for (const run of waiting) {
        // Nobody knows: it is asked again.
        const entry = await queue.find(run).catch(() => null);
        if (entry !== null && entry?.state !== "waiting") waiting.delete(run);
      }
      return waiting.size > 0;
    },
  };
}
