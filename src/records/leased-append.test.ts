import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, it } from "vitest";
import { appendRecords, type Journal } from "./journal.ts";
import { type LeasedAppends, leasedAppends } from "./leased-append.ts";
import { recordsNewestFirst } from "./newest-first.ts";
import { verifyJournal } from "./verify.ts";

let dir: string;
let journal: Journal;
let appends: LeasedAppends;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "holdfast-lease-"));
  journal = { file: join(dir, "ledger.jsonl"), headFile: join(dir, "head.json"), spoolDir: join(dir, "spool") };
  appends = leasedAppends();
});
afterEach(() => {
  appends.close();
  rmSync(dir, { recursive: true, force: true });
});

/** Until a lease that nobody uses has ended. */
const leaseIsOver = () => sleep(80);
const numbers = () => [...recordsNewestFirst(journal, { maxLines: 1_000, marks: [] })].map(({ n }) => n).reverse();
const problem = async () => (await verifyJournal(journal)).problem;

it("goes on where it rested, where others wrote meanwhile, and across rotations", async () => {
  const rotating = { ...journal, maxBytes: 1_500 };
  let n = 0;
  for (const writers of ["lease", "lease other lease", "other lease", "lease lease", "other other lease"]) {
    for (const writer of writers.split(" ")) {
      const { append } = writer === "lease" ? appends : { append: appendRecords };
      for (let count = 0; count < 4; count++) expect((await append(rotating, [{ n: n++ }])).kind).toBe("written");
      await leaseIsOver();
    }
  }
  expect(numbers()).toEqual(Array.from({ length: n }, (_, index) => index));
  expect(await problem()).toBeUndefined();
});

it("remembers the head before it gives up the lock", async () => {
  appends.append(journal, [{ n: 1 }]);
  await leaseIsOver();
  const last = JSON.parse(readFileSync(journal.file, "utf8"));
  expect(JSON.parse(readFileSync(journal.headFile as string, "utf8"))).toEqual({ seq: 1, hash: last.hash });
});

it("says so when lines were cut off while it rested", async () => {
  for (const n of [1, 2, 3]) appends.append(journal, [{ n }]);
  await leaseIsOver();
  truncateSync(journal.file, 10);
  const result = await appends.append(journal, [{ n: 4 }]);
  expect(result.kind === "written" && result.warnings.map(({ code }) => code)).toEqual(["JOURNAL_BROKEN"]);
  await leaseIsOver();
  expect(await problem()).toBeDefined();
});

it("does not go on from a file of the same length that somebody else wrote", async () => {
  appends.append(journal, [{ n: 1 }]);
  await leaseIsOver();
  const { length } = readFileSync(journal.file);
  writeFileSync(journal.file, `${"x".repeat(length - 1)}\n`);
  const result = await appends.append(journal, [{ n: 2 }]);
  expect(result.kind === "written" && result.warnings.map(({ code }) => code)).toEqual(["JOURNAL_BROKEN"]);
});

it("closes a line that a crash left torn while it rested", async () => {
  appends.append(journal, [{ n: 1 }]);
  await leaseIsOver();
  appendFileSync(journal.file, '{"half":');
  appends.append(journal, [{ n: 2 }]);
  expect(numbers()).toEqual([1, 2]);
});

it("rotates no file that somebody who took over its lock has written to", async () => {
  journal = { ...journal, maxBytes: 300 };
  appends.append(journal, [{ n: 1, text: "x".repeat(200) }]);
  rmSync(`${journal.file}.lock`);
  appendRecords({ ...journal, maxBytes: 100_000 }, [{ n: 2 }]);
  expect((await appends.append(journal, [{ n: 3 }])).kind).toBe("written");
  await leaseIsOver();
  expect(await problem()).toBeUndefined();
});

it("begins anew where its lock was taken over, and loses nothing of either", async () => {
  appends.append(journal, [{ n: 1 }]);
  rmSync(`${journal.file}.lock`);
  appendRecords(journal, [{ n: 2 }]);
  expect((await appends.append(journal, [{ n: 3 }])).kind).toBe("written");
  expect(numbers()).toEqual([1, 2, 3]);
  await leaseIsOver();
  expect(await problem()).toBeUndefined();
});

it("takes the lock of a journal for one write only once it is closed, whoever still waits for it", async () => {
  appends.append(journal, [{ n: 1 }]);
  appends.close();
  for (const n of [2, 3]) {
    expect((await appends.append(journal, [{ n }])).kind).toBe("written");
    expect(existsSync(`${journal.file}.lock`)).toBe(false);
  }
  const others = leasedAppends();
  others.append(journal, [{ n: 4 }]);
  const waiting = [5, 6].map((n) => appends.append(journal, [{ n }]));
  others.close();
  for (const result of await Promise.all(waiting)) expect(result.kind).toBe("written");
  expect(existsSync(`${journal.file}.lock`)).toBe(false);
  expect(numbers()).toEqual([1, 2, 3, 4, 5, 6]);
  expect(await problem()).toBeUndefined();
});

it("closed while it waits for a lock, it keeps none", async () => {
  const others = leasedAppends();
  others.append(journal, [{ n: 1 }]);
  const waiting = appends.append(journal, [{ n: 2 }]);
  appends.close();
  others.close();
  expect((await waiting).kind).toBe("written");
  expect(existsSync(`${journal.file}.lock`)).toBe(false);
  expect(numbers()).toEqual([1, 2]);
});
