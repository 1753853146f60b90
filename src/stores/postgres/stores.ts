/** Everything in a PostgreSQL database that several servers share. */
import { PostgresDialect, sql } from "kysely";
import type { Pool } from "pg";
import type { Stores } from "../../approvals/store.ts";
import { HoldfastError } from "../../core/errors.ts";
import { approvalReads, type WordSearch } from "../sql/approval-reads.ts";
import { auditReads, type HoldsText } from "../sql/audit-reads.ts";
import { channels, people, settings } from "../sql/directory.ts";
import { directoryWrites } from "../sql/directory-writes.ts";
import { kept } from "../sql/kept.ts";
import { queries } from "../sql/statements.ts";
import { doneInTurn, type Together } from "../sql/steps.ts";
import { approvalWrites } from "./approval-writes.ts";
import { countedIn } from "./audit-counts.ts";
import { auditWrites } from "./audit-writes.ts";
import { DatabaseClock } from "./clock.ts";
import { executeIn, holdingIn, openPool, placeOf, reasonOf, settingsOf, togetherIn } from "./connections.ts";
import { migrate, SCHEMA } from "./migrations.ts";
import { Notifications } from "./notifications.ts";
import { PEOPLE } from "./people.ts";

export async function postgresStores(url: string): Promise<Stores> {
  const pool = await openPool(url);
  const execute = executeIn(pool, url);
  const clock = await ready(pool, url, async () => {
    await migrated(pool);
    return DatabaseClock.start(execute);
  });
  const notifications = new Notifications(settingsOf(url));
  const db = queries(new PostgresDialect({ pool }), execute);
  const apart: Together = (begin) => doneInTurn(begin(), ({ sql, parameters }) => execute(sql, parameters));
  const together = togetherIn(pool, url);
  // Of their own: whoever waits for a run or a base keeps no connection from approvals.
  const holders = await openPool(url, SCHEMA, MOST_HOLDERS);
  const now = () => clock.now();
  return {
    now,
    ...approvalReads(db, execute, { words: WORDS, session: sql`session collate "C"` }),
    ...approvalWrites(execute),
    watch: (id, onChange) => notifications.watch(id, onChange),
    ...people(db),
    ...channels(db),
    ...kept(db, now),
    ...settings(db),
    ...directoryWrites(db, {
      together,
      togetherOnPeople: together,
      holding: holdingIn(holders, url),
      apart,
      dialect: PEOPLE,
      now,
    }),
    ...auditReads(db, HOLDS_TEXT, countedIn),
    ...auditWrites(execute),
    async close() {
      clock.stop();
      await notifications.close();
      await Promise.all([pool.end(), holders.end()]);
    },
  };
}

const MOST_HOLDERS = 2;

async function ready<T>(pool: Pool, url: string, open: () => Promise<T>): Promise<T> {
  try {
    return await open();
  } catch (error) {
    await pool.end().catch(() => {});
    if (error instanceof HoldfastError) throw error;
    throw new HoldfastError("HF924", `PostgreSQL ${placeOf(url)} cannot be opened: ${reasonOf(error)}`);
  }
}

async function migrated(pool: Pool): Promise<void> {
  const client = await pool.connect();
  try {
    await migrate(client);
  } finally {
    client.release();
  }
}

/** Words are letters and digits only, so that quotes around them are all they need. */
const queryOf = (words: readonly string[]) => words.map((word) => `'${word}':*`).join(" & ");

const WORDS: WordSearch = {
  isIn: (words) =>
    sql`exists (select from approvals as searched where searched.seq = approvals.seq and searched.words @@ ${queryOf(words)}::tsquery)`,
  // OFFSET keeps the planner from taking it apart: the index of words is what is wanted.
  hits: (words) => sql`(select seq from approvals where words @@ ${queryOf(words)}::tsquery offset 0)`,
};

/** Letters and digits only: nothing in them means anything to ILIKE. */
const HOLDS_TEXT: HoldsText = (column, text) => sql`${sql.ref(column)} ilike ${`%${text}%`}`;
