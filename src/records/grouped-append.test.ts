import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { groupedAppend } from "./grouped-append.ts";
import type { AppendSoon, Journal, WriteTextsSoon } from "./journal.ts";
import { type LeasedAppends, leasedAppends } from "./leased-append.ts";
import { recordsNewestFirst } from "./newest-first.ts";
import { spooledRecords } from "./spool.ts";
import { verifyJournal } from "./verify.ts";

let dir: string;
let journal: Journal;
let appends: LeasedAppends;
let writes: number;
let append: AppendSoon;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "holdfast-group-"));
  journal = journalAt("ledger");
  appends = leasedAppends();
  writes = 0;
  append = groupedAppend((...given) => {
    writes += 1;
    return appends.write(...given);
  });
});
afterEach(() => {
  appends.close();
  rmSync(dir, { recursive: true, force: true });
});

const journalAt = (name: string): Journal => ({ file: join(dir, `${name}.jsonl`), spoolDir: join(dir, "spool", name) });
const numbers = (of = journal) =>
  [...recordsNewestFirst(of, { maxLines: 1_000, marks: [] })].map(({ n }) => n).reverse();

it("what is appended in one turn is one write to each journal, in its order, and the chain holds", async () => {
  const other = journalAt("audit");
  await Promise.all(
    [1, 2, 3].flatMap((n) => [append(journal, [{ n }, { n: n * 10 }]), append(other, [{ n: n * 100 }])]),
  );
  expect(writes).toBe(2);
  expect(numbers()).toEqual([1, 10, 2, 20, 3, 30]);
  expect(numbers(other)).toEqual([100, 200, 300]);
  expect((await verifyJournal(journal)).problem).toBeUndefined();
});

it("nobody is told before its record is there", async () => {
  const seen: boolean[] = [];
  const appended = async (n: number) => {
    const result = await append(journal, [{ n }]);
    seen.push(result.kind === "written" && readFileSync(journal.file, "utf8").includes(`"n":${n},`));
  };
  await Promise.all([appended(1), appended(2), appended(3)]);
  expect(seen).toEqual([true, true, true]);
});

it("where the write fails, the records of each wait in the spool, and the next write adds them once", async () => {
  mkdirSync(journal.file);
  const results = await Promise.all([1, 2, 3].map((n) => append(journal, [{ n }])));
  expect(results.map(({ kind }) => kind)).toEqual(["spooled", "spooled", "spooled"]);
  expect(spooledRecords(journal)).toMatchObject([{ n: 1 }, { n: 2 }, { n: 3 }]);
  rmSync(journal.file, { recursive: true });
  await append(journal, [{ n: 4 }]);
  expect(numbers()).toEqual([1, 2, 3, 4]);
});

it("one of them reports what else went wrong, whether the write waits or not", async () => {
  const warning = { code: "JOURNAL_BROKEN", message: "broken" };
  const result = { kind: "written" as const, head: { seq: 1, hash: "" }, drainedCount: 0, warnings: [warning] };
  for (const write of [() => result, async () => result] satisfies WriteTextsSoon[]) {
    const grouped = groupedAppend(write);
    const told = await Promise.all([1, 2, 3].map((n) => grouped(journal, [{ n }])));
    expect(told.map((one) => one.kind === "written" && one.warnings.length)).toEqual([1, 0, 0]);
  }
});
