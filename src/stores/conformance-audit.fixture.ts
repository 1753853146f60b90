import { describe, expect, it } from "vitest";
import type { AuditQuery, AuditRow } from "../approvals/store.ts";
import { type Pair, unique } from "./store-pair.fixture.ts";

const START = Date.parse("2026-03-01T10:00:00.000Z");

function rowOf(organisation: string, source: string, sequence: number, changes: Partial<AuditRow> = {}): AuditRow {
  return {
    source,
    sequence,
    organisation,
    at: new Date(START + sequence * 1_000).toISOString(),
    session: "session-1",
    event: "pre_tool_use",
    decision: "allow",
    tool: "Bash",
    ms: 2.5,
    record: JSON.stringify({ sequence, note: `Row number ${sequence} 写\u0000` }),
    ...changes,
  };
}

export function auditRules({ one, other }: Pair): void {
  const all = async (query: AuditQuery) => {
    const rows: AuditRow[] = [];
    let cursor: string | undefined;
    do {
      const page = await other().audit({ ...query, ...(cursor !== undefined && { cursor }) });
      rows.push(...page.rows);
      cursor = page.next;
    } while (cursor !== undefined);
    return rows;
  };

  describe("audit rows", () => {
    it("X-10 rows come back as they were recorded, newest first, each once, page by page", async () => {
      const [organisation, source] = [unique("org"), unique("machine")];
      const rows = Array.from({ length: 7 }, (_, index) => rowOf(organisation, source, index + 1));
      expect(await one().appendAudit(rows)).toBe(7);
      expect(await all({ organisation, limit: 3 })).toEqual(rows.toReversed());
    });

    it("rows that are there already are left out, and stay as they were", async () => {
      const [organisation, source] = [unique("org"), unique("machine")];
      const rows = [1, 2, 3].map((sequence) => rowOf(organisation, source, sequence));
      await one().appendAudit(rows.slice(0, 2));
      expect(await other().appendAudit([...rows, rowOf(organisation, source, 1, { decision: "block" })])).toBe(1);
      expect(await one().appendAudit([])).toBe(0);
      expect(await all({ organisation, limit: 10 })).toEqual(rows.toReversed());
      expect(await one().auditBuckets(organisation, new Date(START), new Date(START + 60_000), 60_000)).toMatchObject([
        { decisions: { allow: 3 } },
      ]);
    });

    it("a name with signs that a database cannot keep is kept without them, and its record whole", async () => {
      const [organisation, source] = [unique("org"), unique("machine")];
      const record = JSON.stringify({ tool: "a\u0000b\ud800c" });
      await one().appendAudit([rowOf(organisation, source, 1, { tool: "a\u0000b", record })]);
      const [row] = await all({ organisation, limit: 1 });
      expect(row?.record).toBe(record);
      expect(row?.tool).toMatch(/^a.b$/s);
    });

    it("a row twice in one batch is one row", async () => {
      const [organisation, source] = [unique("org"), unique("machine")];
      const row = rowOf(organisation, source, 1);
      expect(await one().appendAudit([row, row])).toBe(1);
      expect(await all({ organisation, limit: 10 })).toEqual([row]);
    });

    it("the last sequence of a source is that of its newest row, zero without any", async () => {
      const [organisation, source] = [unique("org"), unique("machine")];
      expect(await one().lastSequence(source)).toBe(0);
      await one().appendAudit([5, 7, 6].map((sequence) => rowOf(organisation, source, sequence)));
      await one().appendAudit([rowOf(organisation, unique("machine"), 99)]);
      expect(await other().lastSequence(source)).toBe(7);
    });

    it("batches from several processes at once lose nothing and double nothing", async () => {
      const organisation = unique("org");
      const source = unique("machine");
      const batch = (from: number) =>
        Array.from({ length: 50 }, (_, index) => rowOf(organisation, source, from + index));
      const counts = await Promise.all(
        [1, 26, 51, 76, 1, 51].map((from, index) => (index % 2 ? one() : other()).appendAudit(batch(from))),
      );
      expect(counts.reduce((sum, count) => sum + count, 0)).toBe(125);
      expect(await all({ organisation, limit: 40 })).toHaveLength(125);
      const buckets = await one().auditBuckets(organisation, new Date(START), new Date(START + 3_600_000), 3_600_000);
      expect(buckets).toMatchObject([{ decisions: { allow: 125 } }]);
    });

    it("session, decision, tool, time and words narrow the list; organisations are kept apart", async () => {
      const [organisation, source] = [unique("org"), unique("machine")];
      const rows = [
        rowOf(organisation, source, 1, { session: "s1" }),
        rowOf(organisation, source, 2, { decision: "block", record: '{"why":"Deletes Everything in /srv"}' }),
        rowOf(organisation, source, 3, { tool: null }),
        rowOf(organisation, source, 4, { tool: "Write" }),
      ];
      await one().appendAudit([...rows, rowOf(unique("org"), unique("machine"), 5)]);
      const sequences = async (query: Partial<AuditQuery>) =>
        (await all({ organisation, limit: 10, ...query })).map(({ sequence }) => sequence);
      expect(await sequences({})).toEqual([4, 3, 2, 1]);
      expect(await sequences({ session: "s1" })).toEqual([1]);
      expect(await sequences({ decision: "block" })).toEqual([2]);
      expect(await sequences({ tool: "Write" })).toEqual([4]);
      expect(await sequences({ from: new Date(START + 2_000) })).toEqual([4, 3, 2]);
      expect(await sequences({ to: new Date(START + 2_000) })).toEqual([1]);
      expect(await sequences({ search: "everything deletes" })).toEqual([2]);
      expect(await sequences({ search: "写" })).toEqual([4, 3, 1]);
      expect(await sequences({ search: "%" })).toEqual([4, 3, 2, 1]);
      expect(await sequences({ search: "nowhere" })).toEqual([]);
      expect(await sequences({ search: "row", session: "s1" })).toEqual([1]);
    });

    it("buckets count decisions and give latencies within a tenth, empty ones left out", async () => {
      const [organisation, source] = [unique("org"), unique("machine")];
      const rows = Array.from({ length: 100 }, (_, index) =>
        rowOf(organisation, source, index + 1, {
          at: new Date(START + (index < 80 ? 0 : 600_000) + index).toISOString(),
          decision: index % 4 ? "allow" : "block",
          ms: index + 1,
        }),
      );
      await one().appendAudit(rows);
      const from = new Date(START);
      const buckets = await other().auditBuckets(organisation, from, new Date(START + 3_600_000), 300_000);
      expect(buckets.map(({ startsAt, decisions }) => ({ startsAt, decisions }))).toEqual([
        { startsAt: new Date(START).toISOString(), decisions: { allow: 60, block: 20 } },
        { startsAt: new Date(START + 600_000).toISOString(), decisions: { allow: 15, block: 5 } },
      ]);
      for (const [bucket, p50, p95] of [
        [buckets[0], 40, 76],
        [buckets[1], 90, 99],
      ] as const) {
        expect(Math.abs((bucket?.p50Ms ?? 0) - p50)).toBeLessThanOrEqual(p50 * 0.1);
        expect(Math.abs((bucket?.p95Ms ?? 0) - p95)).toBeLessThanOrEqual(p95 * 0.1);
      }
      const [hour] = await other().auditBuckets(organisation, from, new Date(START + 3_600_000), 3_600_000);
      expect(hour?.decisions).toEqual({ allow: 75, block: 25 });
      expect(await other().auditBuckets(organisation, from, new Date(START + 60_000), 60_000)).toHaveLength(1);
      expect(await other().auditBuckets(unique("org"), from, new Date(START + 60_000), 60_000)).toEqual([]);
    });

    it("a decision may be called anything", async () => {
      const [organisation, source] = [unique("org"), unique("machine")];
      await one().appendAudit([rowOf(organisation, source, 1, { decision: "constructor" })]);
      const [bucket] = await one().auditBuckets(organisation, new Date(START), new Date(START + 60_000), 60_000);
      expect(bucket?.decisions).toEqual({ constructor: 1 });
    });

    it("a call of no time at all, and one of an hour, have a latency", async () => {
      const [organisation, source] = [unique("org"), unique("machine")];
      await one().appendAudit([
        rowOf(organisation, source, 1, { ms: 0 }),
        rowOf(organisation, source, 2, { ms: 0 }),
        rowOf(organisation, source, 3, { ms: 3_600_000 }),
      ]);
      const [bucket] = await one().auditBuckets(organisation, new Date(START), new Date(START + 60_000), 60_000);
      expect(bucket?.p50Ms).toBeLessThan(0.1);
      expect(Math.abs((bucket?.p95Ms ?? 0) - 3_600_000)).toBeLessThanOrEqual(360_000);
    });

    it("a cursor that no list gave out is refused with HF921", async () => {
      await expect(one().audit({ organisation: "personal", limit: 1, cursor: "xyz" })).rejects.toMatchObject({
        code: "HF921",
      });
    });
  });
}
