/**
 * The newest lines of journals, kept by a process that reads them on every call: only what was added since is read
 * again. What lies further back is read from the file, as ever.
 */
import { closeSync, fstatSync, readSync, statSync } from "node:fs";
import type { Journal } from "./journal.ts";
import { linesFromEnd } from "./lines-from-end.ts";
import type { NewestFirstOptions } from "./newest-first.ts";
import { parseRecord, type ReadRecord } from "./read-record.ts";
import { filesFromEnd, openIfThere, takeSnapshot } from "./snapshot.ts";

export interface KeptTails {
  newestFirst(journal: Journal, options: NewestFirstOptions): Iterable<ReadRecord>;
  close(): void;
}

const MAX_JOURNALS = 32;
const MAX_LINES = 1_000;
const MAX_BYTES = 2 * 1024 * 1024;

interface Line {
  readonly text: string;
  readonly from: number;
  record?: ReadRecord | undefined;
  isParsed?: true;
}

interface Tail {
  readonly descriptor: number;
  readonly inode: number;
  /** How far the file was read. */
  sizeBytes: number;
  /** Where the first of `lines` begins; what lies before was never read, or was let go. */
  from: number;
  lines: Line[];
}

export function keptTails(): KeptTails {
  const tails = new Map<string, Tail>();

  function tailOf(file: string): Tail | undefined {
    const known = tails.get(file);
    const tail = known && isSame(known, file) && readOn(known) ? known : opened(file, known);
    if (!tail) return undefined;
    // The last used stands last: the first is the first to go.
    tails.delete(file);
    tails.set(file, tail);
    for (const [oldest, { descriptor }] of tails) {
      if (tails.size <= MAX_JOURNALS) break;
      closeSync(descriptor);
      tails.delete(oldest);
    }
    return tail;
  }

  function opened(file: string, old: Tail | undefined): Tail | undefined {
    if (old) closeSync(old.descriptor);
    tails.delete(file);
    const current = openIfThere(file);
    if (!current) return undefined;
    const start = Math.max(0, current.sizeBytes - FIRST_BYTES);
    const { ino } = fstatSync(current.descriptor);
    const tail: Tail = { descriptor: current.descriptor, inode: ino, sizeBytes: start, from: start, lines: [] };
    if (!readOn(tail)) {
      closeSync(tail.descriptor);
      return undefined;
    }
    // The first line read may be the end of one.
    if (start > 0) {
      const [, first] = tail.lines;
      tail.lines = tail.lines.slice(1);
      tail.from = first?.from ?? tail.sizeBytes;
    }
    return tail;
  }

  return {
    *newestFirst(journal, { maxLines, mayMatch }) {
      const tail = tailOf(journal.file);
      if (!tail) return yield* olderThan(undefined, journal, maxLines, mayMatch);
      let lines = 0;
      for (const line of tail.lines.toReversed()) {
        if (lines++ >= maxLines) return;
        const record = mayMatch(line.text) ? recordOf(line) : undefined;
        if (record) yield record;
      }
      yield* olderThan(tail.from, journal, maxLines - lines, mayMatch);
    },
    close() {
      for (const { descriptor } of tails.values()) closeSync(descriptor);
      tails.clear();
    },
  };
}

const FIRST_BYTES = 256 * 1024;

const isSame = (tail: Tail, file: string) => statSync(file, { throwIfNoEntry: false })?.ino === tail.inode;

/** Takes in what was appended; false: the file is not one that only grows, and must be read anew. */
function readOn(tail: Tail): boolean {
  const { size } = fstatSync(tail.descriptor);
  if (size < tail.sizeBytes) return false;
  if (size === tail.sizeBytes) return true;
  const bytes = Buffer.alloc(size - tail.sizeBytes);
  let filled = 0;
  while (filled < bytes.length) {
    const count = readSync(tail.descriptor, bytes, filled, bytes.length - filled, tail.sizeBytes + filled);
    if (count === 0) break;
    filled += count;
  }
  // A line that is still being written is left for the next time.
  let start = 0;
  for (let end = bytes.indexOf(NEWLINE, start); end !== -1 && end < filled; end = bytes.indexOf(NEWLINE, start)) {
    tail.lines.push({ text: bytes.toString("utf8", start, end), from: tail.sizeBytes + start });
    start = end + 1;
  }
  tail.sizeBytes += start;
  const tooOld = tail.lines.findIndex(
    ({ from }, index) => tail.lines.length - index <= MAX_LINES && tail.sizeBytes - from <= MAX_BYTES,
  );
  if (tooOld > 0) tail.lines = tail.lines.slice(tooOld);
  tail.from = tail.lines[0]?.from ?? tail.sizeBytes;
  return true;
}

const NEWLINE = 0x0a;

function recordOf(line: Line): ReadRecord | undefined {
  if (!line.isParsed) line.record = parseRecord(line.text);
  line.isParsed = true;
  return line.record;
}

/** `before`: a place in the current file; undefined: its end. */
function* olderThan(
  before: number | undefined,
  journal: Journal,
  maxLines: number,
  mayMatch: NewestFirstOptions["mayMatch"],
): Generator<ReadRecord> {
  const snapshot = takeSnapshot(journal.file);
  try {
    let lines = 0;
    for (const file of filesFromEnd(snapshot)) {
      const isCurrent = file === snapshot.current;
      const end = isCurrent && before !== undefined ? Math.min(before, file.sizeBytes) : file.sizeBytes;
      for (const line of linesFromEnd(file.descriptor, end)) {
        if (lines++ >= maxLines) return;
        const record = mayMatch(line) ? parseRecord(line) : undefined;
        if (record) yield record;
      }
    }
  } finally {
    snapshot.close();
  }
}
