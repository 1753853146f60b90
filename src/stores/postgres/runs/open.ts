/** Runs and their queue in one PostgreSQL database. */
import type { LeaseTimes } from "../../../runs/files/lease.ts";
import type { RunQueue } from "../../../runs/queue.ts";
import type { RunStore } from "../../../runs/store.ts";
import { openRunDatabase } from "./database.ts";
import { postgresRunQueue } from "./run-queue.ts";
import { postgresRunStore } from "./run-store.ts";

export interface PostgresRuns {
  readonly store: RunStore;
  readonly queue: RunQueue;
  close(): Promise<void>;
}

export interface PostgresRunsOptions {
  readonly url: string;
  /** Where this machine keeps its part of each run. */
  readonly directory: string;
  readonly leaseTimes: LeaseTimes;
}

export async function postgresRuns({ url, directory, leaseTimes }: PostgresRunsOptions): Promise<PostgresRuns> {
  const database = await openRunDatabase(url);
  return {
    store: postgresRunStore({ database, directory, leaseTimes }),
    queue: postgresRunQueue({ database, leaseTimes }),
    close: () => database.close(),
  };
}
