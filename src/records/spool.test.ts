import { mkdtempSync, readdirSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { withFileLock } from "./file-lock.ts";
import { appendRecords } from "./journal.ts";
import { spooledRecords } from "./spool.ts";

let directory: string;
let journal: { file: string; spoolDir: string; lockWaitMs: number };
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "holdfast-spool-"));
  journal = { file: join(directory, "ledger.jsonl"), spoolDir: join(directory, "spool"), lockWaitMs: 20 };
});
afterEach(() => rmSync(directory, { recursive: true }));

const spool = (record: object) =>
  withFileLock(`${journal.file}.lock`, {}, () => expect(appendRecords(journal, [record]).kind).toBe("spooled"));

describe("what waits for a journal", () => {
  it("can be read: oldest first, also while a drain has begun with it, and is gone once it is in the journal", () => {
    expect(spooledRecords(journal)).toEqual([]);
    spool({ n: 1 });
    spool({ n: 2 });
    expect(spooledRecords(journal)).toEqual([{ n: 1 }, { n: 2 }]);
    const [first = ""] = readdirSync(journal.spoolDir).sort();
    const draining = first.replace(".jsonl", ".after-0.jsonl");
    renameSync(join(journal.spoolDir, first), join(journal.spoolDir, draining));
    expect(spooledRecords(journal)).toEqual([{ n: 1 }, { n: 2 }]);
    appendRecords(journal, [{ n: 3 }]);
    expect(spooledRecords(journal)).toEqual([]);
  });

  it("is that journal's alone", () => {
    spool({ n: 1 });
    expect(spooledRecords({ ...journal, file: join(directory, "audit.jsonl") })).toEqual([]);
  });
});
