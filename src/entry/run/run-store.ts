/** The store that this machine's config keeps runs in: files, or a database that several machines share. */
import { join } from "node:path";
import { interpolate } from "../../config/interpolate.ts";
import { type Environment, type Places, placesOf } from "../../config/places.ts";
import type { Plan, WorkerSettings } from "../../config/plan.ts";
import { HoldfastError } from "../../core/errors.ts";
import { readyEngine } from "../../engine/ready.ts";
import { awaitFileLock } from "../../records/file-lock.ts";
import { LEASE_TIMES } from "../../runs/files/lease.ts";
import { fileRunStore } from "../../runs/files/run-store.ts";
import type { RunQueue } from "../../runs/queue.ts";
import type { RunStore } from "../../runs/store.ts";
import { repositoryOf } from "./repository.ts";

export interface OpenRunStore {
  readonly store: RunStore;
  /** Undefined: runs are files, and there is no queue. */
  readonly queue: RunQueue | undefined;
  readonly worker: WorkerSettings;
  close(): Promise<void>;
}

export interface StoreSetting {
  readonly env: Environment;
  readonly cwd: string;
  readonly distDir: string;
}

/** A lock is held for milliseconds; whoever cannot have it for this long is told. */
const LOCK_WAIT_MS = 10_000;

export async function openRunStore({ env, cwd, distDir }: StoreSetting): Promise<OpenRunStore> {
  const places = placesOf(env);
  const { plan, close } = await readyEngine(cwd, env, distDir);
  await close();
  requireReadable(plan, places);
  const { store: address, leaseSeconds, worker = {} } = plan.settings.runs ?? {};
  const leaseTimes = leaseSeconds === undefined ? LEASE_TIMES : timesOf(leaseSeconds);
  if (address === undefined) {
    const store = fileRunStore({
      root: join(places.stateDir, "runs"),
      repo: repositoryOf(cwd),
      takeLock: (path) => awaitFileLock(path, { waitMs: LOCK_WAIT_MS }),
      leaseTimes,
    });
    return { store, queue: undefined, worker, close: async () => {} };
  }
  const { postgresRuns } = await import("../../stores/postgres/runs/open.ts");
  const opened = await postgresRuns({
    url: interpolate(address, env),
    directory: join(places.stateDir, "shared-runs"),
    leaseTimes,
  });
  return { ...opened, worker };
}

const timesOf = (leaseSeconds: number) => ({ renewMs: (leaseSeconds * 1000) / 6, silentMs: leaseSeconds * 1000 });

/** A store that a broken file names is not silently another one. */
function requireReadable({ errors }: Plan, { userDir, managedDirs }: Places): void {
  const wrong = errors.find(
    ({ code, place: { file } }) => code === "HF105" || [userDir, ...managedDirs].some((dir) => file?.startsWith(dir)),
  );
  if (!wrong) return;
  throw new HoldfastError("HF1061", `the config that says so cannot be read: ${wrong.message}`, wrong.place);
}
