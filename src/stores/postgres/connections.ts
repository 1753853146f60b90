/** Connections to PostgreSQL: a pool whose failures are errors of whoever asks, never of the process. */
import { createHash } from "node:crypto";
import type { ClientConfig, Pool, PoolClient } from "pg";
import { HoldfastError } from "../../core/errors.ts";
import type { Execute } from "../sql/statements.ts";
import { doneInTurn, type Steps, type Together } from "../sql/steps.ts";
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

export async function openPool(url: string, schema = SCHEMA): Promise<Pool> {
  const { default: pg } = await import("pg");
  const pool = new pg.Pool({
    ...settingsOf(url),
    max: 10,
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
  async function together<T>(begin: () => Steps<T>): Promise<T> {
    let client: PoolClient | undefined;
    let broken: Error | undefined;
    // Without a listener a connection that breaks meanwhile would end the process.
    const onError = (error: Error) => {
      broken = error;
    };
    try {
      const open = await pool.connect();
      client = open;
      open.on("error", onError);
      await open.query("begin isolation level read committed");
      const result = await doneInTurn(begin(), async ({ sql: text, parameters }) => {
        return (await open.query({ name: nameOf(text), text, values: [...parameters] })).rows;
      });
      await open.query("commit");
      return result;
    } catch (error) {
      await client?.query("rollback").catch((problem: Error) => {
        broken = problem;
      });
      throw failure(url, error);
    } finally {
      client?.off("error", onError);
      client?.release(broken);
    }
  };

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
