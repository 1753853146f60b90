/** Finding approvals: the same questions to both databases. */
import { type Expression, type Kysely, type SqlBool, sql } from "kysely";
import type { Approval, HistoryEntry, Status } from "../../approvals/approval.ts";
import type { ApprovalQuery, ApprovalStore } from "../../approvals/store.ts";
import { decodeCursor, encodeCursor } from "../cursor.ts";
import { wordsOf } from "../words.ts";
import { approvalIn } from "./approval-row.ts";
import { withoutNul } from "./parameters.ts";
import type { Execute } from "./statements.ts";
import type { Tables } from "./tables.ts";

/** How a database looks for words; every word of the search begins one of the approval's. */
export interface WordSearch {
  /** Whether the row of `approvals` at hand holds them, without an index. */
  isIn(words: readonly string[]): Expression<SqlBool>;
  /** `seq` of all that hold them, by the index. */
  hits(words: readonly string[]): Expression<number>;
}

/** What each database says in its own way. */
export interface ApprovalDialect {
  readonly words: WordSearch;
  /** The column, in the order of its bytes. */
  readonly session: Expression<string>;
}

type Reads = Pick<ApprovalStore, "get" | "byDigest" | "history" | "note" | "list" | "due">;

export function approvalReads(db: Kysely<Tables>, execute: Execute, dialect: ApprovalDialect): Reads {
  // Written once: whoever waits reads by it, and kysely takes longer to write a statement than a database to answer it.
  const byId = db.selectFrom("approvals").select("body").where("id", "=", "").compile().sql;
  return {
    async get(id) {
      const [row] = await execute<{ body: string }>(byId, [withoutNul(id)]);
      return row && approvalIn(row);
    },
    async byDigest(organisation, digest, asker) {
      let rows = db
        .selectFrom("approvals")
        .select("body")
        .where("organisation", "=", organisation)
        .where("digest", "=", digest);
      if (asker)
        rows = rows
          .where(isExactly(unindexed("agent"), asker.agent))
          .where(isExactly(unindexed("initiator"), asker.initiator));
      const row = await rows.orderBy("seq", "desc").limit(1).executeTakeFirst();
      return row && approvalIn(row);
    },
    async history(approval) {
      const rows = await db
        .selectFrom("history")
        .select("body")
        .where("approval", "=", approval)
        .orderBy("seq")
        .execute();
      return rows.map(({ body }): HistoryEntry => JSON.parse(body));
    },
    async note(entry) {
      const { approval, organisation } = entry;
      await db
        .insertInto("history")
        .values({ approval, organisation, body: JSON.stringify(entry) })
        .execute();
    },
    async list(query) {
      const found = await findPage(db, dialect, query);
      const page = found.slice(0, query.limit);
      const last = page.at(-1);
      return {
        approvals: page.map(approvalIn),
        ...(found.length > page.length && last && { next: encodeCursor([last.seq]) }),
      };
    },
    async due(at, limit): Promise<readonly Approval[]> {
      const rows = await db
        .selectFrom("approvals")
        .select("body")
        .where("due_at", "<=", at.getTime())
        .orderBy("due_at")
        .limit(limit)
        .execute();
      return rows.map(approvalIn);
    },
  };
}

const isExactly = (column: Expression<unknown>, value: string | null) =>
  value === null ? sql<SqlBool>`${column} is null` : sql<SqlBool>`${column} = ${withoutNul(value)}`;

/** The column as no index has it: else a database may look through all that one agent or person ever asked. */
const unindexed = (column: "agent" | "initiator") => sql`(${sql.ref(column)} || '')`;

interface Found {
  readonly seq: number;
  readonly body: string;
}

/**
 * Words that many approvals hold are found among the newest; words that few hold, by the index. Each is fast where the
 * other is not.
 */
async function findPage(db: Kysely<Tables>, dialect: ApprovalDialect, query: ApprovalQuery): Promise<readonly Found[]> {
  const words = wordsOf(query.search ?? "");
  const wanted = query.limit + 1;
  const matching = (status: Status | undefined) => rowsOf(db, dialect, query, status);
  if (words.length === 0) return newest(query, (status) => matching(status).limit(wanted).execute());

  // Not ordered again: rows come as they are looked through, and with enough of them the looking ends.
  const recent = await newest(query, (status) =>
    db
      .selectFrom(matching(status).limit(NEWEST_LOOKED_THROUGH).as("approvals"))
      .select(["seq", "body"])
      .where(dialect.words.isIn(words))
      .limit(wanted)
      .execute(),
  );
  if (recent.length === wanted) return recent;
  return newest(query, (status) =>
    matching(status).where("seq", "in", dialect.words.hits(words)).limit(wanted).execute(),
  );
}

const NEWEST_LOOKED_THROUGH = 1_000;

/** One question per status, each in the order of its index, instead of one that has to sort. */
async function newest(
  { statuses, limit }: ApprovalQuery,
  ask: (status: Status | undefined) => Promise<readonly Found[]>,
): Promise<readonly Found[]> {
  const answers = await Promise.all((statuses ?? [undefined]).map(ask));
  return answers
    .flat()
    .sort((left, right) => right.seq - left.seq)
    .slice(0, limit + 1);
}

function rowsOf(db: Kysely<Tables>, dialect: ApprovalDialect, query: ApprovalQuery, status: Status | undefined) {
  const { organisation, session, sessionTree, agent, initiator, tool, cursor } = query;
  let rows = db.selectFrom("approvals").select(["seq", "body"]).where("organisation", "=", organisation);
  if (status !== undefined) rows = rows.where("status", "=", status);
  if (session !== undefined) rows = rows.where("session", "=", session);
  if (sessionTree !== undefined)
    // "0" comes right behind "/".
    rows = rows.where(
      sql<SqlBool>`(session = ${sessionTree} or (${dialect.session} >= ${`${sessionTree}/`} and ${dialect.session} < ${`${sessionTree}0`}))`,
    );
  if (agent !== undefined) rows = rows.where("agent", "=", agent);
  if (initiator !== undefined) {
    const isFoundOtherwise = [status, session, sessionTree].some((one) => one !== undefined);
    rows = rows.where(isExactly(isFoundOtherwise ? unindexed("initiator") : sql.ref("initiator"), initiator));
  }
  if (tool !== undefined) rows = rows.where("tool", "=", tool);
  if (cursor !== undefined) rows = rows.where("seq", "<", Number(decodeCursor(cursor, ["number"])[0]));
  return rows.orderBy("seq", "desc");
}
