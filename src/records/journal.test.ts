import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { appendRecords, type Journal, MAX_RECORD_LENGTH } from "./journal.ts";
import { verifyJournal } from "./verify.ts";

let directory: string;
let journal: Journal & { headFile: string; spoolDir: string };
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "holdfast-journal-"));
  journal = {
    file: join(directory, "project", ".holdfast", "ledger.jsonl"),
    headFile: join(directory, "state", "head.json"),
    spoolDir: join(directory, "state", "spool"),
    lockWaitMs: 200,
  };
});
afterEach(() => rmSync(directory, { recursive: true }));

const linesOf = (file: string) => readFileSync(file, "utf8").trimEnd().split("\n");
const parsed = (file: string) => linesOf(file).map((line) => JSON.parse(line));
const spooled = () => (existsSync(journal.spoolDir) ? readdirSync(journal.spoolDir) : []);
const mode = (path: string) => statSync(path).mode & 0o777;

describe("an append", () => {
  it("K-33 creates directories and files on demand, for the owner only", () => {
    expect(appendRecords(journal, [{ a: 1 }])).toMatchObject({ kind: "written", head: { seq: 1 }, warnings: [] });
    expect(mode(journal.file)).toBe(0o600);
    expect(mode(dirname(journal.file))).toBe(0o700);
    expect(mode(journal.headFile)).toBe(0o600);
    expect(mode(dirname(journal.headFile))).toBe(0o700);
    expect(readdirSync(dirname(journal.file))).toEqual(["ledger.jsonl"]);
  });

  it("chains every record to the one before, across calls", async () => {
    appendRecords(journal, [{ a: 1 }, { a: 2 }]);
    appendRecords(journal, [{ a: 3 }]);
    const lines = parsed(journal.file);
    expect(lines.map(({ a, seq }) => [a, seq])).toEqual([
      [1, 1],
      [2, 2],
      [3, 3],
    ]);
    expect(lines[2].prev).toBe(lines[1].hash);
    expect(await verifyJournal(journal)).toEqual({ ok: true, lines: 3, fragments: 0, isHeadKnown: true });
  });

  it("KB-6 X-17 redacts what it writes", () => {
    appendRecords(journal, [{ input_summary: "PASSWORD=hunter2 npm start", token: "abc" }]);
    expect(readFileSync(journal.file, "utf8")).not.toMatch(/hunter2|abc/);
  });

  it("of nothing writes nothing", () => {
    expect(appendRecords(journal, [])).toMatchObject({ kind: "written", head: { seq: 0 } });
    expect(readFileSync(journal.file, "utf8")).toBe("");
  });

  it("works after lines of a megabyte, with and without a head file", async () => {
    for (const one of [journal, { file: join(directory, "other.jsonl") }]) {
      appendRecords(one, [{ text: "ä".repeat(600_000) }]);
      appendRecords(one, [{ text: "x".repeat(1_100_000) }, { b: 1 }]);
      appendRecords(one, [{ text: "y".repeat(3_000_000) }]);
      appendRecords(one, [{ c: 1 }]);
      expect(await verifyJournal(one)).toMatchObject({ ok: true, lines: 5 });
    }
  });

  it("refuses a record that no reader would hold in memory", () => {
    const result = appendRecords(journal, [{ text: "x".repeat(MAX_RECORD_LENGTH) }]);
    expect(result).toMatchObject({ kind: "lost", cause: { code: "RECORD_TOO_LONG" } });
  });

  it("then verify is intact, whatever was appended in whatever batches and segments", async () => {
    const batches = fc.array(fc.array(fc.dictionary(fc.string(), fc.jsonValue()), { maxLength: 4 }), { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(batches, fc.constantFrom(1, 500, 5_000, undefined), async (all, maxBytes) => {
        const one = { ...journal, file: join(mkdtempSync(join(directory, "p")), "l.jsonl"), maxBytes };
        rmSync(journal.headFile, { force: true });
        for (const records of all) expect(appendRecords(one, records).kind).toBe("written");
        const lines = all.flat().length;
        expect(await verifyJournal(one)).toMatchObject({ ok: true, lines, fragments: 0 });
      }),
      { numRuns: 60 },
    );
  });
});

describe("a torn tail", () => {
  const withoutHead = () => ({ file: journal.file });

  it.each([
    ["in the middle of a line", 20],
    ["right before the newline", 1],
  ])("%s is closed, and the chain goes on from the last intact line", async (_, cutBytes) => {
    for (const one of [journal, withoutHead()]) {
      rmSync(directory, { recursive: true });
      appendRecords(journal, [{ a: 1 }, { a: 2 }]);
      const head = readFileSync(journal.headFile);
      appendRecords(journal, [{ a: 3 }]);
      // As a crash leaves it that came before the line was whole, and so before its head was written down.
      truncateSync(journal.file, statSync(journal.file).size - cutBytes);
      writeFileSync(journal.headFile, head);

      expect(appendRecords(one, [{ a: 4 }])).toMatchObject({ kind: "written", warnings: [] });
      const isWhole = cutBytes === 1;
      expect(await verifyJournal(journal)).toMatchObject({
        ok: true,
        lines: isWhole ? 4 : 3,
        fragments: isWhole ? 0 : 1,
      });
    }
  });

  it("of a first line starts the chain anew", async () => {
    mkdirSync(dirname(journal.file), { recursive: true });
    writeFileSync(journal.file, '{"a":');
    appendRecords(journal, [{ a: 1 }]);
    expect(readFileSync(journal.file, "utf8")).toMatch(/^\{"a":\n\{"a":1,"seq":1,/);
    expect(await verifyJournal(journal)).toMatchObject({ ok: true, lines: 1, fragments: 1 });
  });
});

describe("rotation", () => {
  it("KB-6 moves a full file aside under the numbers of its records, and the chain goes on", async () => {
    const small = { ...journal, maxBytes: 800 };
    for (let index = 1; index <= 10; index++) appendRecords(small, [{ index, padding: "x".repeat(150) }]);
    expect(readdirSync(dirname(journal.file)).sort()).toEqual([
      "ledger.000000000001-000000000002.jsonl",
      "ledger.000000000003-000000000004.jsonl",
      "ledger.000000000005-000000000006.jsonl",
      "ledger.000000000007-000000000008.jsonl",
      "ledger.jsonl",
    ]);
    expect(await verifyJournal(small)).toMatchObject({ ok: true, lines: 10 });
  });

  it("that a crash interrupted goes on from the segment, with and without a head file", async () => {
    for (const one of [journal, { file: journal.file }]) {
      rmSync(directory, { recursive: true });
      appendRecords(journal, [{ a: 1 }, { a: 2 }]);
      execFileSync("mv", [journal.file, journal.file.replace(".jsonl", ".000000000001-000000000002.jsonl")]);
      expect(appendRecords(one, [{ a: 3 }])).toMatchObject({ kind: "written", head: { seq: 3 }, warnings: [] });
      expect(await verifyJournal(journal)).toMatchObject({ ok: true, lines: 3 });
    }
  });

  it("never overwrites an older segment", () => {
    const small = { ...journal, maxBytes: 10 };
    appendRecords(small, [{ a: 1 }]);
    const taken = journal.file.replace(".jsonl", ".000000000001-000000000001.jsonl");
    writeFileSync(taken, "kept\n");
    appendRecords(small, [{ a: 2 }]);
    expect(readFileSync(taken, "utf8")).toBe("kept\n");
    expect(existsSync(journal.file.replace(".jsonl", ".000000000001-000000000001.2.jsonl"))).toBe(true);
  });
});

describe("the remembered head", () => {
  it("lets a crash between journal and head file pass", async () => {
    appendRecords(journal, [{ a: 1 }]);
    const old = readFileSync(journal.headFile);
    appendRecords(journal, [{ a: 2 }]);
    appendRecords(journal, [{ a: 3 }]);
    writeFileSync(journal.headFile, old);
    expect(appendRecords(journal, [{ a: 4 }])).toMatchObject({ head: { seq: 4 }, warnings: [] });
    expect(await verifyJournal(journal)).toMatchObject({ ok: true, lines: 4 });
  });

  it("keeps a deleted journal from starting over unnoticed", async () => {
    appendRecords(journal, [{ a: 1 }, { a: 2 }]);
    unlinkSync(journal.file);
    expect(await verifyJournal(journal)).toMatchObject({ ok: false, problem: { kind: "cut-off", seq: 1 } });
    const result = appendRecords(journal, [{ a: 3 }]);
    expect(result).toMatchObject({ kind: "written", head: { seq: 3 }, warnings: [{ code: "JOURNAL_BROKEN" }] });
    expect(appendRecords(journal, [{ a: 4 }])).toMatchObject({ head: { seq: 4 }, warnings: [] });
    expect(await verifyJournal(journal)).toMatchObject({
      ok: false,
      problem: { kind: "missing", line: 1, seq: 1, sentence: expect.stringContaining("records 1 to 2") },
    });
  });

  it("keeps a cut tail from being covered by new lines", async () => {
    appendRecords(journal, [{ a: 1 }, { a: 2 }, { a: 3 }]);
    writeFileSync(journal.file, `${linesOf(journal.file)[0]}\n`);
    expect(appendRecords(journal, [{ a: 4 }])).toMatchObject({
      head: { seq: 4 },
      warnings: [{ code: "JOURNAL_BROKEN" }],
    });
    expect(await verifyJournal(journal)).toMatchObject({ ok: false, problem: { kind: "missing", line: 2, seq: 2 } });
  });

  it("keeps a forged tail from being covered by new lines", async () => {
    const forged = { file: join(directory, "forged.jsonl") };
    appendRecords(forged, [{ a: 1 }, { a: "forged" }, { a: 3 }, { a: 4 }, { a: 5 }]);
    appendRecords(journal, [{ a: 1 }, { a: 2 }, { a: 3 }]);
    writeFileSync(journal.file, readFileSync(forged.file));
    expect(await verifyJournal(journal)).toMatchObject({ ok: false, problem: { kind: "edited", line: 3 } });
    expect(appendRecords(journal, [{ a: 6 }])).toMatchObject({
      head: { seq: 4 },
      warnings: [{ code: "JOURNAL_BROKEN" }],
    });
    expect(await verifyJournal(journal)).toMatchObject({ ok: false, problem: { kind: "edited", line: 4, seq: 4 } });
  });

  it("that cannot be written is a warning, and the record is in the journal", () => {
    writeFileSync(join(directory, "state"), "a file where a directory should be");
    const result = appendRecords({ ...journal, spoolDir: undefined }, [{ a: 1 }]);
    expect(result).toMatchObject({ kind: "written", warnings: [{ code: "ENOTDIR" }, { code: "ENOTDIR" }] });
    expect(parsed(journal.file)).toMatchObject([{ a: 1 }]);
  });
});

describe("a journal that cannot be written", () => {
  const blockJournal = () => writeFileSync(join(directory, "project"), "a file where a directory should be");
  const unblockJournal = () => unlinkSync(join(directory, "project"));

  it("K-33 keeps its records in the spool, redacted, and says why", () => {
    blockJournal();
    const result = appendRecords(journal, [{ a: 1, password: "hunter2" }]);
    expect(result).toMatchObject({ kind: "spooled", cause: { code: "ENOTDIR" } });
    if (result.kind !== "spooled") return;
    expect(readFileSync(result.spoolFile, "utf8")).toBe('{"a":1,"password":"[redacted:field]"}\n');
    expect(mode(result.spoolFile)).toBe(0o600);
    expect(mode(journal.spoolDir)).toBe(0o700);
  });

  it("gets them, in order and before anything else, once it can be written", async () => {
    appendRecords(journal, [{ a: 1 }]);
    execFileSync("mv", [join(directory, "project"), join(directory, "away")]);
    blockJournal();
    appendRecords(journal, [{ a: 2 }, { a: 3 }]);
    appendRecords(journal, [{ a: 4 }]);
    unblockJournal();
    execFileSync("mv", [join(directory, "away"), join(directory, "project")]);

    expect(appendRecords(journal, [{ a: 5 }])).toMatchObject({ kind: "written", drainedCount: 3, warnings: [] });
    expect(parsed(journal.file).map(({ a }) => a)).toEqual([1, 2, 3, 4, 5]);
    expect(parsed(journal.file).map(({ spooled }) => spooled !== undefined)).toEqual([false, true, true, true, false]);
    expect(spooled()).toEqual([]);
    expect(await verifyJournal(journal)).toMatchObject({ ok: true, lines: 5 });
  });

  it("gets only its own when journals share a spool", () => {
    blockJournal();
    appendRecords(journal, [{ a: 1 }]);
    const other = { file: join(directory, "other.jsonl"), spoolDir: journal.spoolDir };
    expect(appendRecords(other, [{ b: 1 }])).toMatchObject({ kind: "written", drainedCount: 0 });
    expect(spooled()).toHaveLength(1);
  });

  it("and has no spool that can be written says that the records are lost, and why", () => {
    blockJournal();
    writeFileSync(join(directory, "state"), "a file where a directory should be");
    expect(appendRecords(journal, [{ a: 1 }])).toMatchObject({
      kind: "lost",
      cause: { code: "ENOTDIR", message: expect.stringContaining("ledger.jsonl.lock") },
      spoolCause: { code: "ENOTDIR" },
    });
    expect(appendRecords({ file: journal.file }, [{ a: 1 }])).toMatchObject({ kind: "lost" });
  });

  it("because somebody holds its lock spools after the wait", () => {
    appendRecords(journal, [{ a: 1 }]);
    writeFileSync(`${journal.file}.lock`, `${process.pid} elsewhere 1`);
    expect(appendRecords(journal, [{ a: 2 }])).toMatchObject({ kind: "spooled", cause: { code: "LOCK_TIMEOUT" } });
    unlinkSync(`${journal.file}.lock`);
    expect(appendRecords(journal, [{ a: 3 }])).toMatchObject({ kind: "written", drainedCount: 1 });
    expect(parsed(journal.file).map(({ a }) => a)).toEqual([1, 2, 3]);
  });

  it("because a link or a pipe was put in its place is not followed", () => {
    mkdirSync(dirname(journal.file), { recursive: true });
    const target = join(directory, "target");
    writeFileSync(target, "untouched\n");
    symlinkSync(target, journal.file);
    expect(appendRecords(journal, [{ a: 1 }])).toMatchObject({ kind: "spooled", cause: { code: "ELOOP" } });
    expect(readFileSync(target, "utf8")).toBe("untouched\n");
    unlinkSync(journal.file);
    execFileSync("mkfifo", [journal.file]);
    expect(appendRecords(journal, [{ a: 1 }])).toMatchObject({ kind: "spooled", cause: { code: "NOT_A_FILE" } });
  });
});

describe("a drain that died", () => {
  /** A spool file of three records, as an append that cannot reach the journal leaves it. */
  function spoolThree(): string {
    writeFileSync(`${journal.file}.lock`, `${process.pid} elsewhere 1`);
    const result = appendRecords(journal, [{ a: "x" }, { a: "y" }, { a: "z" }]);
    unlinkSync(`${journal.file}.lock`);
    if (result.kind !== "spooled") throw new Error(`expected it spooled, not ${result.kind}`);
    return result.spoolFile;
  }
  const draining = (spoolFile: string, afterSeq: number) => spoolFile.replace(/\.jsonl$/, `.after-${afterSeq}.jsonl`);

  it.each([0, 1, 2, 3])("after %i of 3 lines goes on where it stopped: no loss, no duplicate", async (writtenCount) => {
    const one = { ...journal, headFile: undefined };
    appendRecords(one, [{ a: "before" }]);
    const spoolFile = spoolThree();
    const content = readFileSync(spoolFile);
    appendRecords(one, []);
    // Back to the moment at which the drainer died: the spool file renamed, some of the lines in the journal.
    writeFileSync(draining(spoolFile, 1), content);
    const lines = linesOf(journal.file).slice(0, 1 + writtenCount);
    writeFileSync(journal.file, `${lines.join("\n")}\n${writtenCount === 1 ? '{"a":"torn' : ""}`);

    expect(appendRecords(one, [{ a: "after" }])).toMatchObject({ drainedCount: 3 - writtenCount, warnings: [] });
    const report = await verifyJournal(one);
    expect(report).toMatchObject({ ok: true, lines: 5 });
    const written = linesOf(journal.file).flatMap((line) => (line.endsWith("}") ? [JSON.parse(line).a] : []));
    expect(written).toEqual(["before", "x", "y", "z", "after"]);
    expect(spooled()).toEqual([]);
  });

  it("goes on even if others, who could not see the spool, appended meanwhile", () => {
    appendRecords(journal, [{ a: "before" }]);
    const spoolFile = spoolThree();
    const content = readFileSync(spoolFile);
    unlinkSync(spoolFile);
    appendRecords(journal, [{ a: "other" }, { a: "other" }]);
    writeFileSync(draining(spoolFile, 1), content);
    expect(appendRecords(journal, [])).toMatchObject({ drainedCount: 3, warnings: [] });
    expect(parsed(journal.file).map(({ a }) => a)).toEqual(["before", "other", "other", "x", "y", "z"]);
  });

  it("sets its file aside when the journal was cut since and nobody can tell what it holds", () => {
    appendRecords(journal, [{ a: "before" }]);
    const spoolFile = spoolThree();
    const content = readFileSync(spoolFile);
    appendRecords(journal, []);
    writeFileSync(draining(spoolFile, 1), content);
    unlinkSync(journal.file);
    expect(appendRecords(journal, [{ a: "after" }])).toMatchObject({
      kind: "written",
      drainedCount: 0,
      warnings: [{ code: "JOURNAL_BROKEN" }, { code: "SPOOL_SET_ASIDE" }],
    });
    expect(spooled()).toEqual([expect.stringMatching(/\.aside$/)]);
    expect(appendRecords(journal, [])).toMatchObject({ warnings: [] });
  });

  it("sets a spool file aside that is no longer JSON, and goes on with the rest", () => {
    appendRecords(journal, [{ a: 1 }]);
    const broken = spoolThree();
    spoolThree();
    appendFileSync(broken, "{not json\n");
    expect(appendRecords(journal, [])).toMatchObject({ drainedCount: 3, warnings: [{ code: "SPOOL_SET_ASIDE" }] });
    expect(spooled()).toEqual([expect.stringMatching(/\.aside$/)]);
  });
});
