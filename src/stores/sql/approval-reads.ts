/** Finding approvals: the same questions to both databases. */
import type { Expression, Kysely, SqlBool } from "kysely";
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

type Reads = Pick<ApprovalStore, "get" | "byDigest" | "history" | "note" | "list" | "due">;

export function approvalReads(db: Kysely<Tables>, execute: Execute, search: WordSearch): Reads {
  // Written once: whoever waits reads by it, and kysely takes longer to write a statement than a database to answer it.
  const byId = db.selectFrom("approvals").select("body").where("id", "=", "").compile().sql;
  return {
    async get(id) {
      const [row] = await execute<{ body: string }>(byId, [withoutNul(id)]);
      return row && approvalIn(row);
    },
    async byDigest(organisation, digest) {
      const row = await db
        .selectFrom("approvals")
        .select("body")
        .where("organisation", "=", organisation)
        .where("digest", "=", digest)
        .orderBy("seq", "desc")
        .limit(1)
        .executeTakeFirst();
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
      const found = await findPage(db, search, query);
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

interface Found {
  readonly seq: number;
  readonly body: string;
}

/**
 * Words that many approvals hold are found among the newest; words that few hold, by the index. Each is fast where the
 * other is not.
 */
async function findPage(db: Kysely<Tables>, search: WordSearch, query: ApprovalQuery): Promise<readonly Found[]> {
  const words = wordsOf(query.search ?? "");
  const wanted = query.limit + 1;
  if (words.length === 0) return newest(query, (status) => matching(db, query, status).limit(wanted).execute());

  // Not ordered again: rows come as they are looked through, and with enough of them the looking ends.
  const recent = await newest(query, (status) =>
    db
      .selectFrom(matching(db, query, status).limit(NEWEST_LOOKED_THROUGH).as("approvals"))
      .select(["seq", "body"])
      .where(search.isIn(words))
      .limit(wanted)
      .execute(),
  );
  if (recent.length === wanted) return recent;
  return newest(query, (status) =>
    matching(db, query, status).where("seq", "in", search.hits(words)).limit(wanted).execute(),
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

function matching(db: Kysely<Tables>, query: ApprovalQuery, status: Status | undefined) {
  const { organisation, session, agent, tool, cursor } = query;
  let rows = db.selectFrom("approvals").select(["seq", "body"]).where("organisation", "=", organisation);
  if (status !== undefined) rows = rows.where("status", "=", status);
  if (session !== undefined) rows = rows.where("session", "=", session);
  if (agent !== undefined) rows = rows.where("agent", "=", agent);
  if (tool !== undefined) rows = rows.where("tool", "=", tool);
  if (cursor !== undefined) rows = rows.where("seq", "<", Number(decodeCursor(cursor, ["number"])[0]));
  return rows.orderBy("seq", "desc");
}
