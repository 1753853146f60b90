/** Roles of people in PostgreSQL, and one write of an organisation's people at a time. */
import { sql } from "kysely";
import type { PeopleDialect } from "../sql/people-steps.ts";

/** Escapes that PostgreSQL has no character for (`\u0000`, half of a pair) may stand in a name: nothing else would be read. */
const ESCAPE = String.raw`\\(u[0-9a-f]{4}|.)`;
const rolesIn = (column: "people.body" | "holders.body") =>
  sql`regexp_replace(${sql.ref(column)}, ${ESCAPE}, '?', 'gi')::jsonb -> 'roles'`;

export const PEOPLE: PeopleDialect = {
  has: (role) => sql`${rolesIn("people.body")} @> ${JSON.stringify([role])}::jsonb`,
  // Servers of an earlier release know no `alone`, and lock the rows, in one order and whoever asks among them: of two who
  // would leave the other alone with the role, the second sees that the first is gone. An aggregate: PostgreSQL moves a
  // condition below the lock, and then each locks the others first.
  hasAnother: (organisation, id, role) => sql`(
    select coalesce(bool_or(locked.id <> ${id}), false) from (
      select id from people as holders
      where organisation = ${organisation} and ${rolesIn("holders.body")} @> ${JSON.stringify([role])}::jsonb
      order by id for update
    ) as locked)`,
  alone: (organisation) => [
    { sql: "select pg_advisory_xact_lock($1::integer, hashtext($2))", parameters: [PEOPLE_LOCK, organisation] },
  ],
  held: (found) => found.forShare(),
};

/** With two numbers: those of migrations and runs have one, and are others. */
const PEOPLE_LOCK = 1_717_920_867;
