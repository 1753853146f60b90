import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";

const run = promisify(execFile);
const root = join(import.meta.dirname, "../..");
const hasClient = existsSync(join(root, "dist/native/holdfast"));

test.runIf(hasClient)(
  "the latency bench runs through: right answers, no line lost, and a report of the promised shape",
  { timeout: 300_000 },
  async () => {
    const out = mkdtempSync(join(tmpdir(), "hf-bench-report-"));
    onTestFinished(() => rmSync(out, { recursive: true, force: true }));
    const args = [join(root, "bench/hook-latency.mjs"), "--quick", "--rounds", "10", "--out", out, "--json"];

    const { stdout } = await run(process.execPath, args, { cwd: root, maxBuffer: 1 << 26 });

    const report = JSON.parse(stdout);
    expect(JSON.parse(readFileSync(join(out, "hook-latency.json"), "utf8"))).toEqual(report);
    const figures = { p50: expect.any(Number), p95: expect.any(Number), p99: expect.any(Number) };
    expect(report).toMatchObject({
      takenAt: expect.any(String),
      build: expect.any(String),
      machine: { summary: expect.any(String), system: expect.any(String), cores: expect.any(Number) },
      load: { before: { length: 3 }, after: { length: 3 } },
      options: { quick: true, rounds: 10 },
      memory: { points: [{ events: 200, rssBytes: expect.any(Number) }, { events: 1_000 }], times: expect.any(Number) },
    });
    expect(report.cases.map(({ id }: { id: string }) => id)).toEqual(expect.arrayContaining(CASES));
    for (const row of report.cases)
      expect(row).toMatchObject({
        spawns: 10,
        timesEmptyC: expect.any(Number),
        timesNode: expect.any(Number),
        ...figures,
      });
    expect(report.growth).toHaveLength(9);
    for (const { points } of report.growth) expect(points).toMatchObject([figures, figures]);
    for (const driver of ["clients", "sockets", "empty"])
      expect(report.parallel[driver].map(({ callers }: { callers: number }) => callers)).toEqual([1, 2, 8, 32]);
    expect(report.parallel).toMatchObject({ recorded: report.parallel.due, chainHolds: true });
    expect(report.targets).toHaveLength(28);
    for (const target of report.targets)
      expect(target).toMatchObject({
        limit: expect.any(String),
        measured: expect.any(String),
        held: expect.any(Boolean),
      });

    const page = readFileSync(join(out, "hook-latency.md"), "utf8");
    for (const { name } of report.cases) expect(page).toContain(`| ${name} |`);
    for (const { limit, measured } of report.targets) expect(page).toContain(`| ${limit} | ${measured} |`);
    const plot = readFileSync(join(out, "hook-latency.svg"), "utf8");
    for (const { name } of report.cases) expect(plot).toContain(`>${name}</text>`);
    expect(plot).toContain("prefers-color-scheme: dark");
  },
);

const CASES = [
  "empty-c",
  "node",
  "warm-allow",
  "warm-block",
  "warm-ledger",
  "warm-rewrite",
  "warm-script",
  "warm-large",
  "cold-client",
  "cold-ledger",
  "cold-launcher",
  "no-image",
];
