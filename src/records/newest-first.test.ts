import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { appendRecords } from "./journal.ts";
import { recordsNewestFirst } from "./newest-first.ts";

const dir = mkdtempSync(join(tmpdir(), "holdfast-newest-"));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const read = (file: string, maxLines = 100, marks: readonly string[] = []) =>
  [...recordsNewestFirst({ file }, { maxLines, marks })].map(({ n }) => n);

it("records come newest first, through rotated files, and no further back than asked", () => {
  const file = join(dir, "a.jsonl");
  for (let n = 1; n <= 40; n++) appendRecords({ file, maxBytes: 2000 }, [{ n }]);
  expect(read(file)).toEqual(Array.from({ length: 40 }, (_, index) => 40 - index));
  expect(read(file, 3)).toEqual([40, 39, 38]);
  expect(read(file, 100, ['"n":7,'])).toEqual([7]);
});

it("a journal that is not there has no records", () => {
  expect(read(join(dir, "none.jsonl"))).toEqual([]);
});
