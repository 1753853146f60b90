import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, expect, it } from "vitest";
import { endsWith, linesFromEnd } from "./lines-from-end.ts";
import { streamLines } from "./stream-lines.ts";

const directory = mkdtempSync(join(tmpdir(), "holdfast-lines-"));
const file = join(directory, "lines");
afterAll(() => rmSync(directory, { recursive: true }));

function inFile<T>(content: string | Buffer, read: (descriptor: number, sizeBytes: number) => T): T {
  writeFileSync(file, content);
  const descriptor = openSync(file, "r");
  try {
    return read(descriptor, Buffer.byteLength(content));
  } finally {
    closeSync(descriptor);
  }
}

const contents = fc
  .array(
    fc.oneof(fc.string({ unit: "grapheme" }), fc.constantFrom("ä".repeat(5000), "x".repeat(8191), "y".repeat(40_000))),
  )
  .map((lines) => lines.map((line) => line.replaceAll("\n", "")).join("\n"));

function linesOf(content: string): string[] {
  const lines = content.split("\n");
  return lines.at(-1) === "" ? lines.slice(0, -1) : lines;
}

it("lines come from the last to the first, whatever their length", () => {
  fc.assert(
    fc.property(contents, (content) => {
      const read = inFile(content, (descriptor, sizeBytes) => [...linesFromEnd(descriptor, sizeBytes)]);
      expect(read.reverse()).toEqual(linesOf(content));
    }),
  );
});

it("a stream gives the same lines, first to last", async () => {
  await fc.assert(
    fc.asyncProperty(contents, async (content) => {
      writeFileSync(file, content);
      const descriptor = openSync(file, "r");
      const read: string[] = [];
      for await (const { text } of streamLines(descriptor, 0, Buffer.byteLength(content))) read.push(text);
      closeSync(descriptor);
      expect(read).toEqual(linesOf(content));
    }),
  );
});

it("a limit keeps the reading to the end of the file", () => {
  const content = `${"x".repeat(100_000)}\nlast\n`;
  const read = inFile(content, (descriptor, sizeBytes) => [...linesFromEnd(descriptor, sizeBytes, 1000)]);
  expect(read).toEqual(["last"]);
});

it("bytes that are not UTF-8 never read as the text they replaced", () => {
  const [valid, invalid] = [Buffer.from("a\ufffdb\n"), Buffer.from("a\xffb\n", "latin1")].map((content) =>
    inFile(content, (descriptor, sizeBytes) => [...linesFromEnd(descriptor, sizeBytes)]),
  );
  expect(valid).toEqual(["a\ufffdb"]);
  expect(invalid).not.toEqual(valid);
});

it("an empty file has no last line", () => {
  expect(inFile("", (descriptor, sizeBytes) => [...linesFromEnd(descriptor, sizeBytes)])).toEqual([]);
  expect(inFile("", (descriptor, sizeBytes) => endsWith(descriptor, sizeBytes, "\n"))).toBe(false);
  expect(inFile("a\n", (descriptor, sizeBytes) => endsWith(descriptor, sizeBytes, "\n"))).toBe(true);
});

it("a line longer than any record is passed over without being held in memory", async () => {
  writeFileSync(file, `${"x".repeat(17 * 1024 * 1024)}\nlast\n`);
  const descriptor = openSync(file, "r");
  const read: string[] = [];
  for await (const { text } of streamLines(descriptor, 0, 17 * 1024 * 1024 + 6)) read.push(text);
  closeSync(descriptor);
  expect(read).toEqual(["", "last"]);
});
