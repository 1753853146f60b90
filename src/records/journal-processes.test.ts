import { execFileSync, fork, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync, unlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { buildSync } from "esbuild";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { withFileLock } from "./file-lock.ts";
import { appendRecords } from "./journal.ts";
import { readRecords } from "./read.ts";
import { verifyJournal } from "./verify.ts";

interface Appending {
  readonly journal: object;
  readonly writer: number;
  readonly count: number;
  readonly recordsPerAppend?: number;
  readonly padding?: number;
  readonly leased?: boolean;
}

let buildDirectory: string;
let appender: string;
let directory: string;
let journal: { file: string; headFile: string; spoolDir: string };

beforeAll(() => {
  buildDirectory = mkdtempSync(join(tmpdir(), "holdfast-appender-"));
  appender = join(buildDirectory, "appender.cjs");
  buildSync({
    entryPoints: [join(import.meta.dirname, "fixtures", "appender.mjs")],
    bundle: true,
    platform: "node",
    format: "cjs",
    outfile: appender,
  });
});
afterAll(() => rmSync(buildDirectory, { recursive: true }));
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "holdfast-processes-"));
  journal = {
    file: join(directory, "project", "ledger.jsonl"),
    headFile: join(directory, "state", "head.json"),
    spoolDir: join(directory, "state", "spool"),
  };
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

/** Appends in a process of its own; resolves to how many appends ended in which way. */
function append(appending: Appending, wrapper: readonly string[] = ["env"]): Promise<Record<string, number>> {
  const [command = "env", ...words] = wrapper;
  const child = spawn(command, [...words, process.execPath, appender, JSON.stringify(appending)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  child.stdout.on("data", (chunk) => {
    output += chunk;
  });
  return new Promise((resolve, reject) =>
    child.on("close", (code) => (code === 0 ? resolve(JSON.parse(output)) : reject(new Error(`exit ${code}`)))),
  );
}

/** How often each record of each writer is in the journal. */
async function countRecords(): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for await (const { writer, index } of readRecords(journal)) {
    const key = `${writer}:${index}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}

describe("many processes", () => {
  it("K-35 4 processes that append 250 lines each give exactly 1000 intact lines", async () => {
    const outcomes = await Promise.all(
      [0, 1, 2, 3].map((writer) => append({ journal: { ...journal, maxBytes: 50_000 }, writer, count: 250 })),
    );
    expect(outcomes).toEqual([{ written: 250 }, { written: 250 }, { written: 250 }, { written: 250 }]);
    expect(await verifyJournal(journal)).toEqual({ ok: true, lines: 1000, fragments: 0, isHeadKnown: true });
    const counts = await countRecords();
    expect(counts.size).toBe(1000);
    expect([...counts.values()].every((count) => count === 1)).toBe(true);
  });

  it("that find the lock of a dead process take it over one at a time", async () => {
    appendRecords(journal, [{ writer: "first", index: 0 }]);
    const deadPid = execFileSync(process.execPath, ["-p", "process.pid"], { encoding: "utf8" }).trim();
    const template = join(directory, "template.lock");
    const signature = withFileLock(template, {}, () => readFileSync(template, "utf8")).replace(/^\d+/, deadPid);
    for (let round = 0; round < 3; round++) {
      writeFileSync(`${journal.file}.lock`, signature);
      writeFileSync(`${journal.file}.lock.steal`, signature);
      const writers = Array.from({ length: 8 }, (_, writer) =>
        append({ journal, writer: round * 8 + writer, count: 5 }),
      );
      expect(await Promise.all(writers)).toEqual(Array(8).fill({ written: 5 }));
    }
    expect(await verifyJournal(journal)).toMatchObject({ ok: true, lines: 1 + 3 * 8 * 5 });
  });
});

describe("a process that is killed in the middle of many appends", () => {
  it("loses nothing that was acknowledged, and the chain goes on", async () => {
    const acknowledged = new Set<string>();
    const killed = async (writer: number, afterMs: number) => {
      const appending: Appending = { journal, writer, count: 1_000_000, recordsPerAppend: 3, padding: 5_000 };
      const child = fork(appender, [JSON.stringify(appending)], { stdio: "ignore" });
      const ended = new Promise((resolve) => child.on("close", resolve));
      const started = new Promise((resolve) => child.once("message", resolve));
      child.on("message", (index: number) => {
        for (const offset of [0, 1, 2]) acknowledged.add(`${writer}:${index + offset}`);
      });
      await started;
      await setTimeout(afterMs);
      child.kill("SIGKILL");
      await ended;
    };
    for (let round = 0; round < 4; round++) {
      await Promise.all([killed(round * 2, 20 + 17 * round), killed(round * 2 + 1, 35 + 11 * round)]);
      expect(await verifyJournal(journal)).toMatchObject({ ok: true });
      expect(appendRecords(journal, [{ writer: "parent", index: round }])).toMatchObject({
        kind: "written",
        warnings: [],
      });
    }
    expect(await verifyJournal(journal)).toMatchObject({ ok: true });

    const counts = await countRecords();
    expect([...counts.values()].every((count) => count === 1)).toBe(true);
    expect([...acknowledged].filter((key) => !counts.has(key))).toEqual([]);
    // Each of the 8 may have died between writing a batch of 3 and saying so.
    expect(counts.size - 4 - acknowledged.size).toBeLessThanOrEqual(8 * 3);
  });
});

describe("a process that is killed while it keeps the lock of a journal", () => {
  it("leaves a chain that goes on, also where the journal was rotated under that lock", async () => {
    const rotated = { ...journal, maxBytes: 4_000 };
    appendRecords(rotated, [{ writer: "first", index: 0 }]);
    for (let round = 1; round <= 5; round++) {
      const appending: Appending = { journal: rotated, writer: round, count: 1_000_000, leased: true };
      const child = fork(appender, [JSON.stringify(appending)], { stdio: "ignore" });
      const ended = new Promise((resolve) => child.on("close", resolve));
      await new Promise<void>((resolve) => child.on("message", (index: number) => index >= 30 * round && resolve()));
      child.kill("SIGKILL");
      await ended;
      expect(appendRecords(rotated, [{ writer: "parent", index: round }])).toMatchObject({
        kind: "written",
        warnings: [],
      });
    }
    expect(await verifyJournal(rotated)).toMatchObject({ ok: true });
    expect([...(await countRecords()).values()].every((count) => count === 1)).toBe(true);
  });
});

describe("a disk without room", () => {
  it("leaves no torn line: what did not fit is taken back and waits in the spool", async () => {
    // 40 KiB for any one file: the write that reaches it is cut short, the next fails.
    const limited = ["bash", "-c", 'ulimit -f 40; exec "$@"', "bash"];
    const outcomes = await append({ journal, writer: 1, count: 12, padding: 6_000 }, limited);
    expect(outcomes).toEqual({ written: 6, "spooled:SHORT_WRITE": 6 });
    expect(statSync(journal.file).size).toBeLessThan(40 * 1024);
    expect(await verifyJournal(journal)).toEqual({ ok: true, lines: 6, fragments: 0, isHeadKnown: true });

    expect(appendRecords(journal, [{ writer: 1, index: 12 }])).toMatchObject({ kind: "written", drainedCount: 6 });
    expect([...(await countRecords()).keys()]).toEqual(Array.from({ length: 13 }, (_, index) => `1:${index}`));
    expect(await verifyJournal(journal)).toMatchObject({ ok: true, lines: 13, fragments: 0 });
  });

  it.runIf(canMount())("gives ENOSPC, and drains once there is room", async () => {
    const mounted = mkdtempSync(join(tmpdir(), "holdfast-full-"));
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=64k", "tmpfs", mounted]);
    try {
      const full = { ...journal, file: join(mounted, "ledger.jsonl") };
      appendRecords(full, [{ index: 0 }]);
      writeFileSync(join(mounted, "filler"), "x".repeat(52 * 1024));
      const kinds = [1, 2, 3, 4].map((index) => appendRecords(full, [{ index, padding: "y".repeat(3_000) }]));
      const causes = kinds.map((result) => (result.kind === "written" ? "written" : result.cause.code));
      expect(causes[0]).toBe("written");
      expect(causes[3]).toMatch(/ENOSPC|SHORT_WRITE/);
      expect(readFileSync(full.file, "utf8")).toMatch(/\n$/);
      unlinkSync(join(mounted, "filler"));
      expect(appendRecords(full, [{ index: 5 }])).toMatchObject({ kind: "written", warnings: [] });
      const indexes: unknown[] = [];
      for await (const { index } of readRecords(full)) indexes.push(index);
      expect(indexes).toEqual([0, 1, 2, 3, 4, 5]);
      expect(await verifyJournal(full)).toMatchObject({ ok: true, lines: 6, fragments: 0 });
    } finally {
      execFileSync("umount", [mounted]);
      rmSync(mounted, { recursive: true });
    }
  });
});

describe("a user who may not write the project", () => {
  it.runIf(process.getuid?.() === 0)("spools for others to drain", async () => {
    appendRecords(journal, [{ writer: 0, index: 0 }]);
    execFileSync("chmod", ["755", directory]);
    execFileSync("chown", ["-R", "65534", join(directory, "state"), buildDirectory]);
    const asNobody = ["setpriv", "--reuid=65534", "--clear-groups"];
    expect(await append({ journal, writer: 1, count: 2 }, asNobody)).toEqual({ "spooled:EACCES": 2 });
    expect(appendRecords(journal, [{ writer: 0, index: 1 }])).toMatchObject({ kind: "written", drainedCount: 2 });
    expect([...(await countRecords()).keys()]).toEqual(["0:0", "1:0", "1:1", "0:1"]);
  });
});

function canMount(): boolean {
  const probe = mkdtempSync(join(tmpdir(), "holdfast-probe-"));
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=64k", "tmpfs", probe], { stdio: "ignore" });
    execFileSync("umount", [probe]);
    return true;
  } catch {
    return false;
  } finally {
    rmSync(probe, { recursive: true });
  }
}
