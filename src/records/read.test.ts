import { appendFileSync, mkdtempSync, rmSync, statSync, truncateSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { followRecords } from "./follow.ts";
import { appendRecords } from "./journal.ts";
import { type ReadOptions, readRecords } from "./read.ts";

let directory: string;
let journal: { file: string; maxBytes: number };
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "holdfast-read-"));
  journal = { file: join(directory, "ledger.jsonl"), maxBytes: 1_000 };
});
afterEach(() => rmSync(directory, { recursive: true }));

const append = (from: number, to: number) => {
  for (let index = from; index <= to; index++) appendRecords(journal, [{ index }]);
};
async function indexes(options: ReadOptions = {}): Promise<unknown[]> {
  const found: unknown[] = [];
  for await (const { index } of readRecords(journal, options)) found.push(index);
  return found;
}

describe("reading", () => {
  it("gives the records of all segments, oldest first", async () => {
    append(1, 10);
    expect(await indexes()).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  });

  it("gives those that pass the filter, and the last of them", async () => {
    append(1, 10);
    const isEven = ({ index }: { index?: unknown }) => Number(index) % 2 === 0;
    expect(await indexes({ filter: isEven })).toEqual([2, 4, 6, 8, 10]);
    expect(await indexes({ filter: isEven, last: 3 })).toEqual([6, 8, 10]);
    expect(await indexes({ last: 7 })).toEqual([4, 5, 6, 7, 8, 9, 10]);
    expect(await indexes({ last: 0 })).toEqual([]);
    expect(await indexes({ last: 100 })).toHaveLength(10);
  });

  it.each([{}, { last: 10 }])(
    "K-34 a reader skips malformed lines, counts them and uses the rest (%j)",
    async (options) => {
      append(1, 2);
      appendFileSync(journal.file, '{"torn":\nnot json\n\n"text"\n[1]\n');
      append(3, 3);
      appendFileSync(journal.file, '{"torn":');
      const reader = readRecords(journal, options);
      const found: unknown[] = [];
      for await (const { index } of reader) found.push(index);
      expect(found).toEqual([1, 2, 3]);
      expect(reader.skippedCount).toBe(6);
    },
  );

  it("of a journal that was never written gives nothing", async () => {
    expect(await indexes()).toEqual([]);
    expect(await indexes({ last: 5 })).toEqual([]);
  });

  it("does not see what is appended while it reads, nor lose or repeat records in a rotation", async () => {
    append(1, 6);
    const found: unknown[] = [];
    for await (const { index } of readRecords(journal)) {
      found.push(index);
      append(100, 105);
    }
    expect(found).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it("can be left early", async () => {
    append(1, 6);
    for await (const { index } of readRecords(journal)) if (index === 2) break;
    for await (const { index } of readRecords(journal, { last: 3 })) if (index === 5) break;
    append(7, 7);
    expect(await indexes({ last: 1 })).toEqual([7]);
  });
});

describe("following", () => {
  async function follow(
    count: number,
    change: (found: readonly unknown[]) => Promise<void> | void,
  ): Promise<unknown[]> {
    const stop = new AbortController();
    const following = followRecords(journal, stop.signal);
    const found: unknown[] = [];
    const done = (async () => {
      for await (const { index } of following) {
        found.push(index);
        if (found.length === count) stop.abort();
      }
    })();
    await change(found);
    await done;
    return found;
  }

  it("gives what is appended from the call on, through several rotations at once", async () => {
    append(1, 3);
    expect(await follow(22, () => append(4, 25))).toEqual(Array.from({ length: 22 }, (_, index) => index + 4));
  });

  it("starts at the call, not at the first record that is asked for", async () => {
    append(1, 2);
    const following = followRecords(journal, new AbortController().signal);
    append(3, 3);
    expect((await following.next()).value).toMatchObject({ index: 3 });
    await following.return(undefined);
  });

  it("waits for a journal that is not there yet, and for the rest of a line", async () => {
    const found = await follow(3, async () => {
      await setTimeout(150);
      append(1, 1);
      appendFileSync(journal.file, '{"index":');
      await setTimeout(250);
      appendFileSync(journal.file, '"two"}\n');
      append(3, 3);
    });
    expect(found).toEqual([1, "two", 3]);
  });

  it("survives a write that was taken back", async () => {
    append(1, 1);
    const sizeBytes = statSync(journal.file).size;
    const all = await follow(2, async (found) => {
      appendFileSync(journal.file, '{"index":"whole"}\n{"index":"half of a li');
      await expect.poll(() => found).toEqual(["whole"]);
      truncateSync(journal.file, sizeBytes);
      await setTimeout(250);
      append(2, 2);
    });
    expect(all).toEqual(["whole", 2]);
  });

  it("ends when the signal aborts", async () => {
    const stop = new AbortController();
    const next = followRecords(journal, stop.signal).next();
    stop.abort();
    expect(await next).toEqual({ done: true, value: undefined });
  });
});
