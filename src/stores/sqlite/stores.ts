/** Everything in one SQLite file that several processes share. */
import { SqliteDialect, sql } from "kysely";
import type { Stores } from "../../approvals/store.ts";
import { HoldfastError } from "../../core/errors.ts";
import { approvalReads, type WordSearch } from "../sql/approval-reads.ts";
import { auditReads, type HoldsText } from "../sql/audit-reads.ts";
import { channels, people, settings } from "../sql/directory.ts";
import { directoryWrites } from "../sql/directory-writes.ts";
import { kept } from "../sql/kept.ts";
import type { PeopleDialect } from "../sql/people-steps.ts";
import { type Execute, queries } from "../sql/statements.ts";
import { doneAtOnce, type Together } from "../sql/steps.ts";
import { approvalWrites } from "./approval-writes.ts";
import { countedIn } from "./audit-counts.ts";
import { auditWrites } from "./audit-writes.ts";
import { Bells } from "./bells.ts";
import { SqliteConnection } from "./connection.ts";
import { migrate } from "./migrations.ts";
import { PeopleLock } from "./people-lock.ts";
import { WordIndex } from "./word-index.ts";

export async function sqliteStores(file: string): Promise<Stores> {
  const connection = await opened(file);
  const bells = new Bells(`${file}.bells`);
  const words = new WordIndex(connection);
  const language = new SqliteDialect({
    database: () => Promise.reject(new Error("kysely has no connection of its own")),
  });
  const execute: Execute = (text, parameters) => connection.execute(text, parameters);
  const db = queries(language, execute);
  const together: Together = (begin) =>
    connection.write(() => doneAtOnce(begin(), ({ sql, parameters }) => connection.all(sql, ...parameters)));
  const peopleLock = new PeopleLock(`${file}.people`);
  const now = () => new Date();
  const reads = approvalReads(db, execute, { words: WORDS, session: sql.ref("session") });
  return {
    now,
    ...reads,
    async list(query) {
      if (query.search !== undefined) await words.catchUp();
      return reads.list(query);
    },
    ...approvalWrites(connection, bells, words),
    watch: async (id, onChange) => bells.watch(id, onChange),
    ...people(db),
    ...channels(db),
    ...kept(db, now),
    ...settings(db),
    ...directoryWrites(db, {
      together,
      togetherOnPeople: (begin) => peopleLock.alone(() => together(begin)),
      holding: (check, work) =>
        peopleLock.alone(async () => {
          await together(check);
          return work();
        }),
      apart: together,
      dialect: PEOPLE,
      now,
    }),
    ...auditReads(db, HOLDS_TEXT, countedIn),
    ...auditWrites(connection),
    async close() {
      bells.close();
      words.close();
      peopleLock.close();
      connection.close();
    },
  };
}

async function opened(file: string): Promise<SqliteConnection> {
  let connection: SqliteConnection | undefined;
  try {
    connection = await SqliteConnection.open(file);
    await migrate(connection, file);
    return connection;
  } catch (error) {
    connection?.close();
    if (error instanceof HoldfastError) throw error;
    throw new HoldfastError("HF924", `${file} cannot be opened: ${(error as Error).message}`, { file });
  }
}

/** Words are letters and digits only: nothing in them means anything to LIKE or MATCH. */
const WORDS: WordSearch = {
  isIn(words) {
    const ofRow = sql`(select words from approval_words where rowid = approvals.seq)`;
    return sql.join(
      words.map((word) => sql`${ofRow} like ${`% ${word}%`}`),
      sql` and `,
    );
  },
  hits(words) {
    const match = words.map((word) => `"${word}"*`).join(" ");
    return sql`(select rowid from approval_words where approval_words match ${match})`;
  },
};

const HOLDS_TEXT: HoldsText = (column, text) => sql`${sql.ref(column)} like ${`%${text}%`}`;

/** There is one writer at a time, of all that is in the file. */
const PEOPLE: PeopleDialect = {
  has: (role) => sql`exists (select 1 from json_each(people.body, '$.roles') where value = ${role})`,
  hasAnother: (organisation, id, role) => sql`exists (
    select 1 from people as others, json_each(others.body, '$.roles') as theirs
    where others.organisation = ${organisation} and others.id <> ${id} and theirs.value = ${role})`,
  alone: () => [],
  held: (found) => found,
};
