/**
 * The database as runs use it: what a restart of the server interrupts is done again once it answers. So whatever is done
 * here must come to the same when it is done twice: nobody knows whether a commit that was cut off took place.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Pool, PoolClient } from "pg";
import { HoldfastError } from "../../../core/errors.ts";
import { openPool, placeOf, reasonOf } from "../connections.ts";
import { migrate } from "../migrations.ts";
import { RUNS_SCHEMA, RUNS_STEPS } from "./tables.ts";

/** A text column holds every character but this one. JSON says it in others. */
export const storable = (text: string): string => text.replaceAll("\0", "");

export type Query = <Row>(text: string, values?: readonly unknown[]) => Promise<Row[]>;

export interface RunDatabase {
  readonly query: Query;
  transaction<T>(work: (query: Query) => Promise<T>): Promise<T>;
  /** While `work` goes on nobody else is let in. */
  alone<T>(lock: number, work: () => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** Longer than a server takes to start again. */
const PATIENCE_MS = 45_000;
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 1_000;

export async function openRunDatabase(url: string): Promise<RunDatabase> {
  const pool = await openPool(url, RUNS_SCHEMA);
  const failed = (error: unknown): Error =>
    error instanceof HoldfastError
      ? error
      : new HoldfastError("HF1066", `PostgreSQL ${placeOf(url)}: ${reasonOf(error)}`);

  const patiently = async <T>(work: () => Promise<T>): Promise<T> => {
    const until = Date.now() + PATIENCE_MS;
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
      try {
        return await work();
      } catch (error) {
        if (!isPassing(error) || Date.now() > until) throw failed(error);
        await sleep(pauseMs);
      }
    }
  };
  const connected = async <T>(work: (client: PoolClient, query: Query) => Promise<T>): Promise<T> => {
    const client = await pool.connect();
    let problem: Error | undefined;
    const onError = (error: Error) => {
      problem = error;
    };
    client.on("error", onError);
    try {
      return await work(client, queryOf(client));
    } catch (error) {
      problem ??= isPassing(error) ? (error as Error) : undefined;
      throw error;
    } finally {
      client.off("error", onError);
      client.release(problem);
    }
  };

  // The first connection is not waited for: a wrong address is said at once.
  await connected((client) => migrate(client, RUNS_STEPS, RUNS_SCHEMA)).catch(async (error) => {
    await pool.end().catch(() => {});
    throw failed(error);
  });

  return {
    query: (text, values = []) => patiently(() => queryOf(pool)(text, values)),
    transaction: (work) =>
      patiently(() =>
        connected(async (client, query) => {
          await client.query("begin");
          try {
            const result = await work(query);
            await client.query("commit");
            return result;
          } catch (error) {
            await client.query("rollback").catch(() => {});
            throw error;
          }
        }),
      ),
    alone: (lock, work) =>
      connected(async (client) => {
        await client.query("select pg_advisory_lock($1)", [lock]);
        try {
          return await work();
        } finally {
          // A connection that broke has let go of it.
          await client.query("select pg_advisory_unlock($1)", [lock]).catch(() => {});
        }
      }),
    close: () => pool.end(),
  };
}

const queryOf =
  (to: Pool | PoolClient): Query =>
  async (text, values = []) =>
    (await to.query(text, [...values])).rows;

/** Of the server's own: it is ending, it was ended, it is starting. */
const PASSING_STATES = ["57P01", "57P02", "57P03", "08000", "08003", "08006", "08001", "40001", "40P01"];
const PASSING_CODES = ["ECONNREFUSED", "ECONNRESET", "EPIPE", "ETIMEDOUT"];
const PASSING_WORDS =
  /Connection terminated|Connection ended|timeout expired|timeout exceeded|Client has encountered a connection error/i;

function isPassing(error: unknown): boolean {
  if (error instanceof HoldfastError) return false;
  const { code, message } = error as { code?: string; message?: string };
  if (code !== undefined && [...PASSING_STATES, ...PASSING_CODES].includes(code)) return true;
  const inner = (error as { errors?: readonly unknown[] }).errors;
  return PASSING_WORDS.test(message ?? "") || (inner?.some(isPassing) ?? false);
}
