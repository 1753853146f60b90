/** Recorded decisions in memory. */
import type { AuditQuery, AuditRow, AuditStore } from "../approvals/store.ts";
import { decodeCursor, encodeCursor } from "./cursor.ts";
import { wordsOf } from "./words.ts";

export function memoryAudit(): AuditStore {
  const rows = new Map<string, AuditRow>();
  const newestFirst = () => [...rows.values()].sort((left, right) => (isAfter(left, positionOf(right)) ? -1 : 1));

  return {
    async appendAudit(wanted) {
      const before = rows.size;
      for (const row of wanted) {
        const key = JSON.stringify([row.source, row.sequence]);
        if (!rows.has(key)) rows.set(key, structuredClone(row));
      }
      return rows.size - before;
    },
    async audit(query) {
      const before =
        query.cursor === undefined ? undefined : decodeCursor(query.cursor, ["number", "string", "number"]);
      const found = newestFirst()
        .filter((row) => (!before || !(isAfter(row, before) || isAt(row, before))) && isAskedFor(row, query))
        .slice(0, query.limit + 1);
      const page = found.slice(0, query.limit);
      const last = page.at(-1);
      return {
        rows: structuredClone(page),
        ...(found.length > page.length && last && { next: encodeCursor(positionOf(last)) }),
      };
    },
    async auditBuckets(organisation, from, to, bucketMs) {
      const first = Math.floor(from.getTime() / MINUTE_MS) * MINUTE_MS;
      const end = Math.ceil(to.getTime() / MINUTE_MS) * MINUTE_MS;
      const inRange = newestFirst().filter((row) => {
        const at = Date.parse(row.at);
        return row.organisation === organisation && at >= first && at < end;
      });
      const buckets = new Map<number, AuditRow[]>();
      for (const row of inRange.reverse()) {
        const start = Math.floor(Date.parse(row.at) / bucketMs) * bucketMs;
        buckets.set(start, [...(buckets.get(start) ?? []), row]);
      }
      return [...buckets].map(([start, inBucket]) => {
        const sorted = inBucket.map(({ ms }) => ms).sort((left, right) => left - right);
        const counted = new Map<string, number>();
        for (const { decision } of inBucket) counted.set(decision, (counted.get(decision) ?? 0) + 1);
        const decisions = Object.fromEntries(counted);
        const startsAt = new Date(start).toISOString();
        return { startsAt, decisions, p50Ms: rankOf(sorted, 0.5), p95Ms: rankOf(sorted, 0.95) };
      });
    },
    lastSequence: async (source) =>
      Math.max(0, ...[...rows.values()].filter((row) => row.source === source).map(({ sequence }) => sequence)),
  };
}

const MINUTE_MS = 60_000;

type Position = readonly (number | string)[];
const positionOf = ({ at, source, sequence }: AuditRow): Position => [Date.parse(at), source, sequence];

function isAfter(row: AuditRow, position: Position): boolean {
  const own = positionOf(row);
  const differing = own.findIndex((value, index) => value !== position[index]);
  return differing >= 0 && (own[differing] as number | string) > (position[differing] as number | string);
}

const isAt = (row: AuditRow, position: Position) => positionOf(row).every((value, index) => value === position[index]);

function isAskedFor(row: AuditRow, { organisation, session, decision, tool, search, from, to }: AuditQuery): boolean {
  const isOther = (wanted: string | undefined, is: string | null) => wanted !== undefined && wanted !== is;
  if (row.organisation !== organisation || isOther(session, row.session)) return false;
  if (isOther(decision, row.decision) || isOther(tool, row.tool)) return false;
  const at = Date.parse(row.at);
  if ((from && at < from.getTime()) || (to && at >= to.getTime())) return false;
  const text = row.record.toLowerCase();
  return wordsOf(search ?? "").every((word) => text.includes(word));
}

const rankOf = (sorted: readonly number[], share: number) =>
  sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0;
