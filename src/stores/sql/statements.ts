/** Kysely for one statement at a time. What takes several is each database's own affair. */
import { type DatabaseConnection, type Dialect, Kysely, type QueryCompiler } from "kysely";
import { withoutNul } from "./parameters.ts";
import type { Tables } from "./tables.ts";

export type Execute = <Row>(sql: string, parameters: readonly unknown[]) => Promise<Row[]>;

type Language = Pick<Dialect, "createAdapter" | "createIntrospector"> & { createQueryCompiler(): QueryCompiler };

export function queries(language: Language, execute: Execute): Kysely<Tables> {
  const statements: DatabaseConnection = {
    executeQuery: async ({ sql, parameters }) => ({ rows: await execute(sql, parameters.map(withoutNul)) }),
    streamQuery: never,
  };
  const dialect: Dialect = {
    createAdapter: () => language.createAdapter(),
    createQueryCompiler: () => language.createQueryCompiler(),
    createIntrospector: (db) => language.createIntrospector(db),
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
  throw new Error("Statements that belong together do not go through kysely.");
}
