/** Recorded decisions, found: the same questions to both databases. */
import { type Expression, type Kysely, type SqlBool, sql } from "kysely";
import type { AuditBucket, AuditQuery, AuditRow, AuditStore } from "../../approvals/store.ts";
import { decodeCursor, encodeCursor } from "../cursor.ts";
import { wordsOf } from "../words.ts";
import { HOUR_MS, MINUTE_MS } from "./audit-row.ts";
import { latencyOf } from "./latency-class.ts";
import type { Tables } from "./tables.ts";

/** Whether a record holds a text, whatever the case of its letters. */
export type HoldsText = (column: "record", text: string) => Expression<SqlBool>;

/** Rows counted from `fromMs` to before `toMs`, whole widths both, in the order of their time. */
export type CountedIn = (
  db: Kysely<Tables>,
  range: { readonly organisation: string; readonly width: number; readonly fromMs: number; readonly toMs: number },
) => Promise<readonly Counted[]>;

export interface Counted {
  readonly startsAt: number;
  readonly decision: string;
  /** Rows of each class of latency, the first for class 0. */
  readonly counts: readonly number[];
}

type Reads = Pick<AuditStore, "audit" | "auditBuckets" | "lastSequence">;

export function auditReads(db: Kysely<Tables>, holdsText: HoldsText, countedIn: CountedIn): Reads {
  return {
    async audit(query) {
      const { rows, isWhole } = await findPage(db, holdsText, query);
      return { rows: rows.page, ...(!isWhole && rows.end && { next: encodeCursor(rows.end) }) };
    },
    async auditBuckets(organisation, from, to, bucketMs) {
      const width = bucketMs % HOUR_MS === 0 ? HOUR_MS : MINUTE_MS;
      const fromMs = Math.floor(from.getTime() / width) * width;
      const toMs = Math.ceil(to.getTime() / width) * width;
      return bucketsOf(await countedIn(db, { organisation, width, fromMs, toMs }), bucketMs);
    },
    async lastSequence(source) {
      const row = await db
        .selectFrom("audit")
        .select(({ fn }) => fn.max("sequence").as("last"))
        .where("source", "=", source)
        .executeTakeFirst();
      return Number(row?.last ?? 0);
    },
  };
}

/** Words and rare filters have no index, so that rows are fast to add: a page looks through so many rows and no more. */
const ROWS_LOOKED_THROUGH = 5_000;

async function findPage(db: Kysely<Tables>, holdsText: HoldsText, query: AuditQuery) {
  const words = wordsOf(query.search ?? "");
  const { decision, tool, limit } = query;
  const isNarrowed = words.length > 0 || decision !== undefined || tool !== undefined;
  if (!isNarrowed) {
    const found = await inRange(db, query)
      .selectAll()
      .limit(limit + 1)
      .execute();
    return { rows: pageOf(found.slice(0, limit).map(rowOf)), isWhole: found.length <= limit };
  }

  // The last row looked at is where the next page begins, whether it was a hit or not.
  let hits = db.selectFrom(inRange(db, query).selectAll().limit(ROWS_LOOKED_THROUGH).as("audit")).selectAll();
  if (decision !== undefined) hits = hits.where("decision", "=", decision);
  if (tool !== undefined) hits = hits.where("tool", "=", tool);
  for (const word of words) hits = hits.where(holdsText("record", word));
  // Not ordered again: rows come as they are looked through, and with enough of them the looking ends.
  const found = (await hits.limit(limit + 1).execute()).map(rowOf);
  if (found.length > limit) return { rows: pageOf(found.slice(0, limit)), isWhole: false };
  const end = await inRange(db, query)
    .select(["at_ms", "source", "sequence"])
    .offset(ROWS_LOOKED_THROUGH - 1)
    .limit(1)
    .executeTakeFirst();
  const rows = { page: found, end: end && [Number(end.at_ms), end.source, Number(end.sequence)] };
  return { rows, isWhole: !end };
}

function pageOf(page: readonly AuditRow[]) {
  const last = page.at(-1);
  return { page, end: last && [Date.parse(last.at), last.source, last.sequence] };
}

function inRange(db: Kysely<Tables>, { organisation, session, from, to, cursor }: AuditQuery) {
  let rows = db.selectFrom("audit").where("organisation", "=", organisation);
  if (session !== undefined) rows = rows.where("session", "=", session);
  if (from) rows = rows.where("at_ms", ">=", from.getTime());
  if (to) rows = rows.where("at_ms", "<", to.getTime());
  if (cursor !== undefined) {
    const [at, source, sequence] = decodeCursor(cursor, ["number", "string", "number"]);
    rows = rows.where(sql<SqlBool>`(at_ms, source, sequence) < (${at}, ${source}, ${sequence})`);
  }
  return inOrder(rows);
}

const inOrder = <Query extends { orderBy(column: "at_ms" | "source" | "sequence", direction: "desc"): Query }>(
  rows: Query,
): Query => rows.orderBy("at_ms", "desc").orderBy("source", "desc").orderBy("sequence", "desc");

function rowOf({ source, sequence, organisation, at, session, event, decision, tool, ms, record }: Tables["audit"]) {
  return { source, sequence: Number(sequence), organisation, at, session, event, decision, tool, ms, record };
}

function bucketsOf(counted: readonly Counted[], bucketMs: number): readonly AuditBucket[] {
  const buckets = new Map<number, { decisions: Map<string, number>; counts: number[] }>();
  for (const { startsAt, decision, counts } of counted) {
    const start = Math.floor(startsAt / bucketMs) * bucketMs;
    const known = buckets.get(start) ?? { decisions: new Map<string, number>(), counts: [] };
    buckets.set(start, known);
    known.decisions.set(decision, (known.decisions.get(decision) ?? 0) + sumOf(counts));
    addCounts(known.counts, counts);
  }
  return [...buckets].map(([start, { decisions, counts }]) => {
    const startsAt = new Date(start).toISOString();
    const [p50Ms, p95Ms] = [percentile(counts, 0.5), percentile(counts, 0.95)];
    return { startsAt, decisions: Object.fromEntries(decisions), p50Ms, p95Ms };
  });
}

const sumOf = (counts: readonly number[]) => counts.reduce((sum, rows) => sum + rows, 0);

/** By index: a chart of a day adds two hundred thousand numbers, and iterating took four times as long. */
function addCounts(sums: number[], counts: readonly number[]): void {
  while (sums.length < counts.length) sums.push(0);
  for (let msClass = 0; msClass < counts.length; msClass++)
    sums[msClass] = (sums[msClass] as number) + (counts[msClass] as number);
}

function percentile(counts: readonly number[], share: number): number {
  const rank = Math.ceil(sumOf(counts) * share);
  let passed = 0;
  const found = counts.findIndex((rows) => {
    passed += rows;
    return passed >= rank;
  });
  return found < 0 ? 0 : latencyOf(found);
}
