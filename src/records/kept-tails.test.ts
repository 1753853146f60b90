import {
  appendFileSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { appendRecords, type Journal } from "./journal.ts";
import { type KeptTails, keptTails } from "./kept-tails.ts";
import { type LeasedAppends, leasedAppends } from "./leased-append.ts";
import { type NewestFirstOptions, recordsNewestFirst } from "./newest-first.ts";

let dir: string;
let journal: Journal;
let tails: KeptTails;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "holdfast-tails-"));
  journal = { file: join(dir, "ledger.jsonl") };
  tails = keptTails();
});
afterEach(() => {
  tails.close();
  rmSync(dir, { recursive: true, force: true });
});

const ALL: NewestFirstOptions = { maxLines: 5_000, marks: [] };
const kept = (options = ALL) => [...tails.newestFirst(journal, options)];
/** What was sealed comes without its seal. */
const read = (options = ALL) =>
  [...recordsNewestFirst(journal, options)].map((record) => {
    const { seq, prev, hash, ...fields } = record;
    return hash === undefined ? record : fields;
  });
const add = (count: number, text = "x") => {
  for (let index = 0; index < count; index++) appendRecords(journal, [{ n: index, text }]);
};

it("gives what reading the file gives, before, between and after appends of any number", () => {
  expect(kept()).toEqual([]);
  for (const count of [1, 3, 0, 40]) {
    add(count);
    expect(kept()).toEqual(read());
  }
  const some = { maxLines: 7, marks: ['"n":1'] };
  expect(kept(some)).toEqual(read(some));
});

it("knows the lines of a mark again, as lines come and go", () => {
  const marked = { maxLines: 50, marks: ['"n":3', "x"] };
  for (const count of [5, 1, 5, 30, 4]) {
    add(count);
    expect(kept(marked)).toEqual(read(marked));
  }
  add(170, "x".repeat(30_000));
  const far = { maxLines: 5_000, marks: ['"n":3'] };
  expect(kept(far)).toEqual(read(far));
  add(4);
  expect(kept(far)).toEqual(read(far));
});

it("goes on in the file behind what it keeps", () => {
  add(60, "y".repeat(20_000));
  expect(kept()).toEqual(read());
  add(60, "z".repeat(20_000));
  expect(kept()).toEqual(read());
  expect(kept()).toHaveLength(120);
});

it("leaves a line that is being written for the next time", () => {
  add(2);
  kept();
  appendFileSync(journal.file, '{"half":');
  expect(kept()).toHaveLength(2);
  appendFileSync(journal.file, "1}\n");
  expect(kept()).toEqual(read());
});

it("sees that the file was rotated, replaced, cut or taken away", () => {
  add(3);
  kept();
  renameSync(journal.file, join(dir, "elsewhere"));
  expect(kept()).toEqual([]);
  add(2);
  expect(kept()).toEqual(read());
  truncateSync(journal.file, 0);
  expect(kept()).toEqual([]);
  writeFileSync(journal.file, '{"n":1,"seq":1}\n');
  expect(kept()).toEqual(read());
  // Cut, and grown beyond what it was, all between two looks and one look later.
  add(5);
  kept();
  truncateSync(journal.file, 0);
  kept();
  add(20, "longer than before");
  expect(kept()).toEqual(read());
});

describe("what this process writes itself", () => {
  let appends: LeasedAppends;
  beforeEach(() => {
    appends = leasedAppends((...written) => tails.wrote(...written));
  });
  afterEach(() => appends.close());

  it("is known as it was written, and not read again", () => {
    add(1);
    kept();
    appends.append(journal, [{ n: 7, text: "own" }]);
    const sizeBytes = statSync(journal.file).size;
    writeFileSync(journal.file, readFileSync(journal.file, "utf8").replace("own", "not"));
    expect(statSync(journal.file).size).toBe(sizeBytes);
    expect(kept()[0]).toEqual({ n: 7, text: "own" });
  });

  it("is in its place among what others write, before and after rotations and torn lines", async () => {
    const small = { ...journal, maxBytes: 4_000 };
    const marked = { maxLines: 50, marks: ['"n":1'] };
    kept();
    for (let round = 0; round < 60; round++) {
      await appends.append(
        small,
        Array.from({ length: 1 + (round % 3) }, () => ({ n: round % 4, text: "ö own" })),
      );
      if (round % 4 === 0) expect(kept(marked)).toEqual(read(marked));
      if (round % 5 === 0) {
        appends.close();
        if (round % 2 === 0) appendFileSync(journal.file, '{"torn":');
        appendRecords(small, [{ n: 1, text: "of another process" }]);
      }
      if (round % 7 !== 0) expect(kept()).toEqual(read());
    }
    expect(kept(marked)).toEqual(read(marked));
  });
});
