import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, unlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { appendRecords } from "./journal.ts";
import { verifyJournal } from "./verify.ts";

let directory: string;
let journal: { file: string; headFile: string; maxBytes: number };
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "holdfast-verify-"));
  journal = { file: join(directory, "p", "ledger.jsonl"), headFile: join(directory, "head.json"), maxBytes: 700 };
  // Three files: 1-4, 5-8 and 9-10.
  for (let index = 1; index <= 10; index++) appendRecords(journal, [{ index }]);
});
afterEach(() => rmSync(directory, { recursive: true }));

const files = () =>
  readdirSync(join(directory, "p"))
    .sort((a, b) => b.length - a.length || a.localeCompare(b))
    .map((name) => join(directory, "p", name));
const linesOf = (file: string) => readFileSync(file, "utf8").trimEnd().split("\n");
function changeLines(file: string, change: (lines: string[]) => string[]): void {
  writeFileSync(
    file,
    change(linesOf(file))
      .map((line) => `${line}\n`)
      .join(""),
  );
}

describe("verify", () => {
  it("follows the chain through all segments", async () => {
    expect(files().map((file) => basename(file))).toEqual([
      "ledger.000000000001-000000000004.jsonl",
      "ledger.000000000005-000000000008.jsonl",
      "ledger.jsonl",
    ]);
    expect(await verifyJournal(journal)).toEqual({ ok: true, lines: 10, fragments: 0, isHeadKnown: true });
  });

  it("of a journal that was never written is fine", async () => {
    const report = await verifyJournal({
      file: join(directory, "none", "x.jsonl"),
      headFile: join(directory, "none.json"),
    });
    expect(report).toEqual({ ok: true, lines: 0, fragments: 0, isHeadKnown: false });
  });

  it("leaves no lock behind", async () => {
    await verifyJournal(journal);
    expect(files()).toHaveLength(3);
  });
});

describe("verify names the file, the line and what happened", () => {
  const second = () => files()[1] as string;
  const problem = async () => (await verifyJournal(journal)).problem;

  it("an edited line", async () => {
    changeLines(second(), (lines) => lines.with(1, (lines[1] as string).replace('"index":6', '"index":7')));
    expect(await problem()).toEqual({
      kind: "edited",
      file: second(),
      line: 2,
      seq: 6,
      sentence: "Line 2 of ledger.000000000005-000000000008.jsonl was changed after it was written.",
    });
  });

  it("a line that something else put there", async () => {
    changeLines(second(), (lines) => lines.toSpliced(1, 0, '{"tool_name":"state_get"}'));
    expect(await problem()).toMatchObject({
      kind: "edited",
      line: 2,
      sentence: expect.stringContaining("has no seal"),
    });
  });

  it("a missing line", async () => {
    changeLines(second(), (lines) => lines.toSpliced(1, 1));
    expect(await problem()).toMatchObject({
      kind: "missing",
      line: 2,
      seq: 6,
      sentence: expect.stringContaining("holds record 7, but record 6 should come before it"),
    });
  });

  it("a missing segment", async () => {
    unlinkSync(second());
    expect(await problem()).toMatchObject({
      kind: "missing",
      file: journal.file,
      line: 1,
      seq: 5,
      sentence: "Line 1 of ledger.jsonl holds record 9, but records 5 to 8 should come before it.",
    });
  });

  it("lines that changed places", async () => {
    changeLines(second(), ([a, b, c, d]) => [a, c, b, d] as string[]);
    expect(await problem()).toMatchObject({
      kind: "reordered",
      line: 2,
      seq: 6,
      sentence: expect.stringContaining("the record that belongs there, 6, is in line 3"),
    });
  });

  it("a line that stands twice", async () => {
    changeLines(second(), ([a, b, ...rest]) => [a, b, a, ...rest] as string[]);
    expect(await problem()).toMatchObject({ kind: "reordered", line: 3, seq: 5 });
  });

  it("a damaged line", async () => {
    changeLines(second(), (lines) => lines.with(1, (lines[1] as string).slice(0, 30)));
    expect(await problem()).toMatchObject({
      kind: "torn",
      line: 2,
      seq: 6,
      sentence: expect.stringContaining("cannot be read, and record 6 should be there"),
    });
  });

  it("an end that was cut off", async () => {
    changeLines(journal.file, (lines) => lines.slice(0, 1));
    expect(await problem()).toEqual({
      kind: "cut-off",
      file: journal.file,
      line: 2,
      seq: 10,
      sentence: "ledger.jsonl ends after line 1, but record 10 had been written after it: the end was cut off.",
    });
  });

  it("a last line that was damaged", async () => {
    writeFileSync(journal.file, readFileSync(journal.file, "utf8").slice(0, -10));
    expect(await problem()).toMatchObject({ kind: "torn", line: 2, seq: 10 });
    expect((await verifyJournal({ ...journal, headFile: join(directory, "none") })).problem?.kind).toBe("torn");
  });

  it("a last line that was replaced by another with a good seal", async () => {
    const forged = join(directory, "forged");
    cpSync(join(directory, "p"), forged, { recursive: true });
    changeLines(join(forged, "ledger.jsonl"), (lines) => lines.slice(0, 1));
    appendRecords({ file: join(forged, "ledger.jsonl") }, [{ index: "forged" }]);
    cpSync(forged, join(directory, "p"), { recursive: true });
    expect(await problem()).toMatchObject({ kind: "edited", line: 2, seq: 10 });
  });
});

describe("whatever is done to the files", () => {
  const nat = fc.nat({ max: 1_000_000 });

  /** Runs the damage on a copy, so that every run starts from the same journal. */
  async function reportAfter(damage: (file: string) => void, which: number) {
    const copy = mkdtempSync(join(directory, "copy-"));
    cpSync(join(directory, "p"), copy, { recursive: true });
    const names = readdirSync(copy).sort();
    damage(join(copy, names[which % names.length] as string));
    return verifyJournal({ ...journal, file: join(copy, "ledger.jsonl") });
  }

  it("one byte changed, added or removed is found", async () => {
    await fc.assert(
      fc.asyncProperty(
        nat,
        nat,
        fc.integer({ min: 1, max: 255 }),
        fc.nat({ max: 2 }),
        async (which, where, by, how) => {
          const report = await reportAfter((file) => {
            const bytes = readFileSync(file);
            const at = where % bytes.length;
            const other = Buffer.from([((bytes[at] as number) + by) % 256]);
            const [keep, insert] = [
              [1, other],
              [0, other],
              [1, Buffer.alloc(0)],
            ][how] as [number, Buffer];
            writeFileSync(file, Buffer.concat([bytes.subarray(0, at), insert, bytes.subarray(at + keep)]));
          }, which);
          // An empty line, or a newline that is missing at the very end, changes no record.
          if (report.ok)
            expect([report.lines, report.fragments]).toSatisfy(([lines, fragments]) => lines === 10 && fragments <= 1);
          else expect(report.problem?.sentence).toMatch(/^(Line \d+ of )?ledger.*\.$/);
        },
      ),
      { numRuns: 300 },
    );
  });

  it("a deleted line is found, the last one too", async () => {
    await fc.assert(
      fc.asyncProperty(nat, nat, async (which, where) => {
        const report = await reportAfter(
          (file) => changeLines(file, (lines) => lines.toSpliced(where % lines.length, 1)),
          which,
        );
        expect(report.ok).toBe(false);
        expect(["missing", "cut-off"]).toContain(report.problem?.kind);
      }),
      { numRuns: 60 },
    );
  });

  it("two lines that changed places are found", async () => {
    await fc.assert(
      fc.asyncProperty(nat, nat, nat, async (which, a, b) => {
        let isSame = false;
        const report = await reportAfter((file) => {
          changeLines(file, (lines) => {
            const [first, other] = [a % lines.length, b % lines.length];
            isSame = first === other;
            return lines.with(first, lines[other] as string).with(other, lines[first] as string);
          });
        }, which);
        expect(report.ok).toBe(isSame);
        if (!isSame) expect(report.problem?.kind).toBe("reordered");
      }),
      { numRuns: 60 },
    );
  });
});
