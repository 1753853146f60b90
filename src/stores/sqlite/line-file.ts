/** A file that several processes add lines to, and others follow. It is emptied when it is long: followers notice. */
import { randomUUID } from "node:crypto";
import { closeSync, fstatSync, ftruncateSync, mkdirSync, openSync, readSync, writeSync } from "node:fs";
import { dirname } from "node:path";

/** How far somebody has read, and how the file began then: one that was emptied and has grown again begins otherwise. */
export interface Place {
  readonly head: string;
  readonly offset: number;
}

export function addLine(file: string, line: string): void {
  adding(file, (opened) => {
    write(opened, line);
    if (fstatSync(opened).size <= LONGEST_FILE) return;
    ftruncateSync(opened);
    write(opened, randomUUID());
  });
}

/** Where somebody begins who has nothing to catch up with. */
export function beginAt(file: string): Place {
  // Whoever began where nothing was could not tell that the file was emptied.
  adding(file, (opened) => {
    if (fstatSync(opened).size === 0) write(opened, randomUUID());
  });
  return endOf(file);
}

/** The lines that came after a place, and how far they go. Undefined lines: some may have been missed. */
export function linesAfter(file: string, place: Place): { lines: readonly string[] | undefined; place: Place } {
  const read = reading(file, (opened) => {
    const head = headOf(opened);
    if (!head.startsWith(place.head) || fstatSync(opened).size < place.offset) return undefined;
    const added = bytesFrom(opened, place.offset);
    const whole = added.subarray(0, added.lastIndexOf(NEWLINE) + 1);
    const lines = whole.toString().split("\n").filter(Boolean);
    return { lines, place: { head, offset: place.offset + whole.length } };
  });
  return read ?? { lines: undefined, place: endOf(file) };
}

const endOf = (file: string): Place =>
  reading(file, (opened) => ({ head: headOf(opened), offset: fstatSync(opened).size })) ?? NOWHERE;

const NOWHERE: Place = { head: "", offset: 0 };
const NEWLINE = 10;
const HEAD_BYTES = 64;
const CHUNK_BYTES = 16_384;
/** Some hundred changes: what is read is read once, and soon. */
const LONGEST_FILE = 1_048_576;

/** What a process that died left unfinished ends where the next line begins. */
const write = (opened: number, line: string) => writeSync(opened, `\n${line}\n`);

function adding(file: string, add: (opened: number) => void): void {
  const opened = openedIf(file, "a");
  if (opened !== undefined) return closedAfter(opened, add);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  closedAfter(openSync(file, "a", 0o600), add);
}

/** Undefined: there is no such file. */
function reading<T>(file: string, read: (opened: number) => T): T | undefined {
  const opened = openedIf(file, "r");
  return opened === undefined ? undefined : closedAfter(opened, read);
}

function openedIf(file: string, flags: "a" | "r"): number | undefined {
  try {
    return openSync(file, flags, 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

function closedAfter<T>(opened: number, work: (opened: number) => T): T {
  try {
    return work(opened);
  } finally {
    closeSync(opened);
  }
}

function headOf(opened: number): string {
  const head = Buffer.alloc(HEAD_BYTES);
  return head.toString("latin1", 0, readSync(opened, head, 0, HEAD_BYTES, 0));
}

function bytesFrom(opened: number, offset: number): Buffer {
  const chunks: Buffer[] = [];
  for (let at = offset; ; ) {
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    const bytes = readSync(opened, chunk, 0, CHUNK_BYTES, at);
    chunks.push(chunk.subarray(0, bytes));
    at += bytes;
    if (bytes < CHUNK_BYTES) return chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
  }
}
