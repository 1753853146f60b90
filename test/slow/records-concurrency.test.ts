import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildSync } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readRecords } from "../../src/records/read.ts";
import { verifyJournal } from "../../src/records/verify.ts";

const WRITERS = 16;
const LINES_PER_WRITER = 4_000;

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "holdfast-concurrency-"));
  buildSync({
    entryPoints: [join(import.meta.dirname, "../../src/records/fixtures/appender.mjs")],
    bundle: true,
    platform: "node",
    format: "cjs",
    outfile: join(directory, "appender.cjs"),
  });
});
afterAll(() => rmSync(directory, { recursive: true }));

function append(appending: object): Promise<string> {
  const child = spawn(process.execPath, [join(directory, "appender.cjs"), JSON.stringify(appending)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  child.stdout.on("data", (chunk) => {
    output += chunk;
  });
  return new Promise((resolve) => child.on("close", () => resolve(output)));
}

describe("K-35 16 processes that append 4,000 lines each", () => {
  it.each([
    ["one file", undefined],
    ["many segments", 1024 * 1024],
  ])("give exactly 64,000 intact lines and an unbroken chain in %s", { timeout: 300_000 }, async (name, maxBytes) => {
    // A second try begins with nothing.
    const place = mkdtempSync(join(directory, "journal-"));
    const journal = {
      file: join(place, "ledger.jsonl"),
      headFile: join(place, "state", "head.json"),
      spoolDir: join(place, "state", "spool"),
      maxBytes,
    };
    const startedAtMs = performance.now();
    const outcomes = await Promise.all(
      Array.from({ length: WRITERS }, (_, writer) => append({ journal, writer, count: LINES_PER_WRITER })),
    );
    const appendedMs = performance.now() - startedAtMs;
    expect(outcomes).toEqual(Array(WRITERS).fill(JSON.stringify({ written: LINES_PER_WRITER })));

    const verifyStartedAtMs = performance.now();
    expect(await verifyJournal(journal)).toEqual({
      ok: true,
      lines: WRITERS * LINES_PER_WRITER,
      fragments: 0,
      isHeadKnown: true,
    });
    const verifiedMs = performance.now() - verifyStartedAtMs;

    const seen = new Map<unknown, number>();
    for await (const { writer, index } of readRecords(journal)) {
      // Each writer's own records are in the order it wrote them.
      expect(index).toBe(seen.get(writer) ?? 0);
      seen.set(writer, Number(index) + 1);
    }
    expect([...seen.values()]).toEqual(Array(WRITERS).fill(LINES_PER_WRITER));
    const files = readdirSync(place).filter((file) => file.endsWith(".jsonl")).length;
    console.log(
      `${name}: appended in ${Math.round(appendedMs)} ms, verified in ${Math.round(verifiedMs)} ms, ${files} files`,
    );
  });
});
