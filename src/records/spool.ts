import { hash, randomBytes } from "node:crypto";
import {
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { join, resolve } from "node:path";
import { makeDirectory } from "../files/make-directory.ts";
import { isAsSealed, type JournalRecord, readSeal, recordText } from "./chain.ts";
import { codeOf, type IoFailure, ioFailure } from "./io-failure.ts";
import type { Journal } from "./journal.ts";
import type { JournalWriter } from "./journal-writer.ts";

// The guarantee: a record whose spooling was reported reaches the journal exactly once, in spite of crashes at any point.
// A spool file appears complete, by a rename, and is never written again, so a drain cannot race its writer. It is
// drained under the journal's lock: renamed to carry the head it is drained after, written to the journal in one write
// that tags each line with the file's id, then deleted. A drain that finds a renamed file knows that an earlier one
// died, counts the tagged lines after that head and writes only the rest. A file of which that cannot be told (the
// journal was cut since) is set aside for a person; a power failure can undo what the disk had not yet written.

/** Keeps records until the journal can be written again. Returns the file. */
export function spoolRecords(spoolDir: string, journalFile: string, texts: readonly string[]): string {
  const path = join(spoolDir, `${journalKey(journalFile)}.${newId()}.jsonl`);
  const partPath = `${path}.part`;
  const bytes = Buffer.from(texts.map((text) => `${text}\n`).join(""));
  makeDirectory(spoolDir, 0o700);
  try {
    const descriptor = openSync(partPath, "wx", 0o600);
    try {
      for (let written = 0; written < bytes.length; ) written += writeSync(descriptor, bytes, written);
    } finally {
      closeSync(descriptor);
    }
    renameSync(partPath, path);
  } catch (error) {
    rmSync(partPath, { force: true });
    throw error;
  }
  return path;
}

/** Moves everything spooled for the journal into it, oldest first; returns how many records. */
export function drainSpool(
  spoolDir: string,
  journalFile: string,
  writer: JournalWriter,
  warn: (failure: IoFailure) => void,
): number {
  let drained = 0;
  for (const file of listSpool(spoolDir, journalFile, warn)) drained += drainFile(file, writer, warn);
  return drained;
}

/** What waits for the journal. To be read before the journal: what is drained meanwhile is then found there. */
export function spooledRecords({ file, spoolDir }: Pick<Journal, "file" | "spoolDir">): JournalRecord[] {
  if (spoolDir === undefined) return [];
  return listSpool(spoolDir, file, () => {}).flatMap(({ path, id }) => {
    const draining = () => listSpool(spoolDir, file, () => {}).find((later) => later.id === id)?.path;
    const text = textIfThere(path) ?? textIfThere(draining() ?? path) ?? "";
    return parseRecords(text) ?? [];
  });
}

function textIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

interface SpoolFile {
  readonly id: string;
  readonly path: string;
  /** The head's seq when an earlier drain of this file began. */
  readonly drainedAfterSeq: number | undefined;
}

function drainFile(file: SpoolFile, writer: JournalWriter, warn: (failure: IoFailure) => void): number {
  let path = file.path;
  let pending: JournalRecord[];
  try {
    const records = parseRecords(readFileSync(path, "utf8"));
    const doneCount = file.drainedAfterSeq === undefined ? 0 : countDrained(writer, file.id, file.drainedAfterSeq);
    if (!records || doneCount === undefined) {
      renameSync(path, `${path}.aside`);
      warn({ code: "SPOOL_SET_ASIDE", message: `${path}.aside holds records that may be missing from the journal` });
      return 0;
    }
    pending = records.slice(doneCount);
    if (file.drainedAfterSeq === undefined) {
      path = path.replace(/\.jsonl$/, `.after-${writer.head.seq}.jsonl`);
      renameSync(file.path, path);
    }
  } catch (error) {
    warn(ioFailure(error));
    return 0;
  }
  if (pending.length > 0) writer.write(pending.map((record) => recordText({ ...record, spooled: file.id })));
  try {
    unlinkSync(path);
  } catch (error) {
    warn(ioFailure(error));
  }
  return pending.length;
}

/** How many of the file's records the journal already has; undefined if the journal does not reach back far enough. */
function countDrained(writer: JournalWriter, id: string, afterSeq: number): number | undefined {
  let count = 0;
  let lowestSeq = writer.head.seq + 1;
  for (const text of writer.linesFromEnd()) {
    const seal = readSeal(text);
    if (!seal || !isAsSealed(text, seal)) continue;
    if (seal.seq <= afterSeq) return count;
    lowestSeq = seal.seq;
    if (JSON.parse(text).spooled === id) count += 1;
  }
  return lowestSeq <= afterSeq + 1 ? count : undefined;
}

const SPOOL_NAME = /^([0-9a-f]{16})\.(\d{17}-\d+-[0-9a-f]{8})(?:\.after-(\d+))?\.jsonl$/;

function listSpool(spoolDir: string, journalFile: string, warn: (failure: IoFailure) => void): SpoolFile[] {
  // A missing directory is the usual case, and far cheaper to ask for than to run into.
  if (!existsSync(spoolDir)) return [];
  let names: string[];
  try {
    names = readdirSync(spoolDir);
  } catch (error) {
    warn(ioFailure(error));
    return [];
  }
  const files: SpoolFile[] = [];
  const wanted = names.length === 0 ? "" : journalKey(journalFile);
  for (const name of names.sort()) {
    const [, key, id, after] = SPOOL_NAME.exec(name) ?? [];
    if (key !== wanted || id === undefined) continue;
    files.push({ id, path: join(spoolDir, name), drainedAfterSeq: after === undefined ? undefined : Number(after) });
  }
  return files;
}

/** Several journals may share a spool directory. */
function journalKey(journalFile: string): string {
  return hash("sha256", resolve(journalFile), "hex").slice(0, 16);
}

let lastStamp = 0;

/** Sorts by time, and within a process by order even if the clock goes back. */
function newId(): string {
  lastStamp = Math.max(lastStamp + 1, Date.now() * 1000);
  return `${String(lastStamp).padStart(17, "0")}-${process.pid}-${randomBytes(4).toString("hex")}`;
}

function parseRecords(text: string): JournalRecord[] | undefined {
  try {
    return text
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line));
  } catch {
    return undefined;
  }
}
