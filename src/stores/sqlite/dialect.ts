/** Kysely over our connection: one statement at a time. What takes several goes through `SqliteConnection.write`. */
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  Kysely,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from "kysely";
import { withoutNul } from "../sql/parameters.ts";
import type { Tables } from "../sql/tables.ts";
import { retried, type SqliteConnection } from "./connection.ts";

export function queriesOf(connection: SqliteConnection): Kysely<Tables> {
  const statements: DatabaseConnection = {
    async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
      return { rows: await retried(() => connection.all<Row>(sql, ...parameters.map(withoutNul))) };
    },
    streamQuery: () => never(),
  };
  const dialect: Dialect = {
    createAdapter: () => new SqliteAdapter(),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createDriver: () => ({
      init: async () => {},
      acquireConnection: async () => statements,
      beginTransaction: never,
      commitTransaction: never,
      rollbackTransaction: never,
      releaseConnection: async () => {},
      destroy: async () => {},
    }),
  };
  return new Kysely<Tables>({ dialect });
}

function never(): never {
  throw new Error("Statements that belong together go through SqliteConnection.write.");
}
