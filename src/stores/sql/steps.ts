/**
 * A write of several statements that belong together, as a generator of them: PostgreSQL answers each after a while, SQLite
 * at once and within a transaction that must not wait. It may be begun again from its first statement.
 */
import type { Compilable } from "kysely";
import { withoutNul } from "./parameters.ts";

export interface Statement {
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

export type Steps<T> = Generator<Statement, T, readonly unknown[]>;

/** Does all of them, or none. */
export type Together = <T>(begin: () => Steps<T>) => Promise<T>;

export function* rowsOf<Row>(query: Compilable<Row>): Steps<readonly Row[]> {
  const { sql, parameters } = query.compile();
  return (yield { sql, parameters: parameters.map(withoutNul) }) as readonly Row[];
}

export function doneAtOnce<T>(steps: Steps<T>, ask: (statement: Statement) => readonly unknown[]): T {
  let step = steps.next();
  while (!step.done) step = steps.next(ask(step.value));
  return step.value;
}

export async function doneInTurn<T>(
  steps: Steps<T>,
  ask: (statement: Statement) => Promise<readonly unknown[]>,
): Promise<T> {
  let step = steps.next();
  while (!step.done) step = steps.next(await ask(step.value));
  return step.value;
}
