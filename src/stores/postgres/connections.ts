/** Connections to PostgreSQL: a pool whose failures are errors of whoever asks, never of the process. */
import type { ClientConfig, Pool } from "pg";
import type { Execute } from "../sql/statements.ts";
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

export async function openPool(url: string): Promise<Pool> {
  const { default: pg } = await import("pg");
  const pool = new pg.Pool({
    ...settingsOf(url),
    max: 10,
    onConnect: async (client) => {
      await client.query(`set search_path to ${SCHEMA}`);
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

export const executeIn = (pool: Pool): Execute =>
  async function execute<Row>(text: string, parameters: readonly unknown[]): Promise<Row[]> {
    return (await pool.query({ text, values: [...parameters] })).rows;
  };
