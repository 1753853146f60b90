/** Connections to PostgreSQL: a pool whose failures are errors of whoever asks, never of the process. */
import { createHash } from "node:crypto";
import type { ClientConfig, Pool, PoolClient } from "pg";
import { HoldfastError } from "../../core/errors.ts";
import type { Writing } from "../sql/directory-writes.ts";
import type { Execute } from "../sql/statements.ts";
import { doneInTurn, type Statement, type Steps, type Together } from "../sql/steps.ts";
import { SCHEMA } from "./migrations.ts";

/** What the address says about TLS, timeouts and the rest goes before these. */
export function settingsOf(url: string): ClientConfig {
  return {
    connectionString: url,
    application_name: "holdfast",
    connectionTimeoutMillis: 5_000,
    statement_timeout: 10_000,
    query_timeout: 15_000,
    idle_in_transaction_session_timeout: 60_000,
    keepAlive: true,
  };
}

export async function openPool(url: string, schema = SCHEMA, max = 10): Promise<Pool> {
  const { default: pg } = await import("pg");
  const pool = new pg.Pool({
    ...settingsOf(url),
    max,
    onConnect: async (client) => {
      await client.query(`set search_path to ${schema}`);
    },
    types: {
      // Counts, sequences and times fit into a number.
      getTypeParser: ((oid: number, format?: "text") =>
        oid === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
    },
  });
  // An idle connection that breaks is replaced by the pool; whoever asks next hears if that fails.
  pool.on("error", () => {});
  return pool;
}

export const executeIn = (pool: Pool, url: string): Execute =>
  async function execute<Row>(text: string, parameters: readonly unknown[]): Promise<Row[]> {
    const values = [...parameters];
    try {
      return (await pool.query(isSearch(text) ? { text, values } : { name: nameOf(text), text, values })).rows;
    } catch (error) {
      throw failure(url, error);
    }
  };

/** In a transaction. Each statement sees what was committed before it. */
export const togetherIn = (pool: Pool, url: string): Together =>
  function together<T>(begin: () => Steps<T>): Promise<T> {
    return inTransaction(pool, async (client) => {
      const result = await doneInTurn(begin(), askedOf(client));
      await client.query("commit");
      return result;
    }).catch((error: unknown) => {
      throw failure(url, error);
    });
  };

/** The rows that `check` locks stay so while the work goes on. What the work fails with is its own. */
export const holdingIn = (pool: Pool, url: string): Writing["holding"] =>
  async function holding<T>(check: () => Steps<void>, work: () => Promise<T>): Promise<T> {
    let begun: Promise<T> | undefined;
    await inTransaction(pool, async (client) => {
      await doneInTurn(check(), askedOf(client));
      begun = Promise.resolve().then(work);
      await begun.catch(() => {});
      await client.query("commit");
    }).catch((error: unknown) => {
      // What was begun is done, or failed by itself: how the lock on the rows ended changes nothing of it.
      if (!begun) throw failure(url, error);
    });
    return begun as Promise<T>;
  };

async function inTransaction<T>(pool: Pool, work: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let broken: Error | undefined;
  // Without a listener a connection that breaks meanwhile would end the process.
  const onError = (error: Error) => {
    broken = error;
  };
  client.on("error", onError);
  try {
    await client.query("begin isolation level read committed");
    return await work(client);
  } catch (error) {
    await client.query("rollback").catch((problem: Error) => {
      broken = problem;
    });
    throw error;
  } finally {
    client.off("error", onError);
    client.release(broken);
  }
}

const askedOf =
  (client: PoolClient) =>
  async ({ sql: text, parameters }: Statement): Promise<readonly unknown[]> =>
    (await client.query({ name: nameOf(text), text, values: [...parameters] })).rows;

const failure = (url: string, error: unknown) =>
  error instanceof HoldfastError
    ? error
    : new HoldfastError("HF925", `PostgreSQL ${placeOf(url)} failed: ${reasonOf(error)}`);

/** What words are searched for decides how to look for them: such a statement is planned each time, others once. */
const isSearch = (text: string) => text.includes("@@") || text.includes("ilike");

const names = new Map<string, string>();

function nameOf(text: string): string {
  const known = names.get(text);
  if (known !== undefined) return known;
  const name = `holdfast_${createHash("sha256").update(text).digest("hex").slice(0, 32)}`;
  names.set(text, name);
  return name;
}

/** Without the password. */
export function placeOf(url: string): string {
  try {
    const { hostname, port, pathname } = new URL(url);
    return `at ${hostname || "localhost"}${port && `:${port}`}${pathname}`;
  } catch {
    return "at the address given";
  }
}

/** An error of several connections attempted carries its reasons inside. */
export function reasonOf(error: unknown): string {
  const { message, errors } = error as Error & { errors?: readonly Error[] };
  return message || (errors ?? []).map((inner) => inner.message).join("; ") || String(error);
}
