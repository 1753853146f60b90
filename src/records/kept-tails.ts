/**
 * The newest lines of journals, kept by a process that reads them on every call: only what others added since is read
 * again, and lines that carry a mark asked for before are known. What lies further back is read from the file, as ever.
 */
import { closeSync, fstatSync, readSync, type Stats, statSync } from "node:fs";
import { LONGEST_SEAL, sealLength, withoutSeal } from "./chain.ts";
import type { Journal, Records } from "./journal.ts";
import type { Written } from "./journal-writer.ts";
import { linesFromEnd } from "./lines-from-end.ts";
import { hasMarks, type NewestFirstOptions } from "./newest-first.ts";
import { asRead, parseRecord, type ReadRecord } from "./read-record.ts";
import { listSegments } from "./segments.ts";
import { filesFromEnd, openIfThere, takeSnapshot } from "./snapshot.ts";

export interface KeptTails {
  /** Without their seals. */
  newestFirst(journal: Journal, options: NewestFirstOptions): Iterable<ReadRecord>;
  /** What this process has just written itself, and need not read. Others may have written before or after it. */
  wrote(file: string, written: Written, texts: readonly string[], records: Records): void;
  close(): void;
}

const MAX_JOURNALS = 16;
const MAX_LINES = 5_000;
/** So much more may come before the oldest are let go, together: that copies the list. */
const SLACK = 1.1;
const MAX_BYTES = 3 * 1024 * 1024;
/** As many sessions as one project has at a time. */
const MAX_MARKS = 16;

interface Line {
  /** Without its seal, which is a third of it. */
  readonly text: string;
  readonly from: number;
  /** Counted through the life of the tail. */
  readonly number: number;
  record: ReadRecord | undefined;
  isParsed: boolean;
}

interface Tail {
  readonly descriptor: number;
  readonly inode: number;
  /** Files it was rotated from. A later rotation makes it another file. */
  readonly hasSegments: boolean;
  /** How far the file was read. */
  sizeBytes: number;
  /** Where the first of `lines` begins; what lies before was never read, or was let go. */
  from: number;
  lines: Line[];
  /** Those of `lines` that carry a mark. */
  readonly marked: Map<string, Line[]>;
  /** The one that was asked for last. */
  newestMark: string | undefined;
}

export function keptTails(): KeptTails {
  const tails = new Map<string, Tail>();
  let newest: Tail | undefined;

  function tailOf(file: string): Tail | undefined {
    const known = tails.get(file);
    // A look costs less than running into a file that is not there.
    const there = statSync(file, { throwIfNoEntry: false });
    const isUsable = known && there?.ino === known.inode && readOn(known, there);
    if (isUsable && known === newest) return known;
    const tail = isUsable ? known : opened(file, known, there);
    if (tail) keepNewest(tails, file, tail, MAX_JOURNALS, ({ descriptor }) => closeSync(descriptor));
    newest = tail;
    return tail;
  }

  function opened(file: string, old: Tail | undefined, there: Stats | undefined): Tail | undefined {
    if (old) closeSync(old.descriptor);
    tails.delete(file);
    const current = there && openIfThere(file);
    if (!current) return undefined;
    const { descriptor } = current;
    const start = Math.max(0, current.sizeBytes - MAX_BYTES);
    const status = fstatSync(descriptor);
    const tail: Tail = {
      descriptor,
      inode: status.ino,
      hasSegments: listSegments(file).length > 0,
      sizeBytes: start,
      from: start,
      lines: [],
      marked: new Map(),
      newestMark: undefined,
    };
    if (!readOn(tail, status)) {
      closeSync(descriptor);
      return undefined;
    }
    // The first line read may be the end of one.
    if (start > 0 && tail.lines[0]?.from === start) letGo(tail, 1);
    return tail;
  }

  return {
    newestFirst(journal, { maxLines, marks }) {
      const tail = tailOf(journal.file);
      if (!tail) return olderThan(undefined, journal, maxLines, marks);
      const first = marks[0];
      const others = marks.length > 1 ? marks.slice(1) : NONE;
      const lines = first === undefined ? tail.lines : linesWith(first, tail);
      const left = maxLines - tail.lines.length;
      const hasOlder = left > 0 && (tail.from > 0 || tail.hasSegments);
      const older = hasOlder ? olderThan(tail.from, journal, left, marks) : undefined;
      return new FromTail(lines, newestNumber(tail.lines) - maxLines, others, older);
    },
    wrote(file, { inode, from, to }, texts, [record]) {
      const tail = tails.get(file);
      if (!tail || texts.length !== 1 || tail.inode !== inode || tail.sizeBytes !== from) return;
      takeIn(tail, texts[0] as string, from, record && asRead(record));
      tail.sizeBytes = to;
      keepTheNewest(tail);
    },
    close() {
      for (const { descriptor } of tails.values()) closeSync(descriptor);
      tails.clear();
    },
  };
}

const NONE: readonly string[] = [];

const newestNumber = (lines: readonly Line[]) => lines[lines.length - 1]?.number ?? 0;

/** No generator: it is resumed for many lines on every call, which costs more than all that is done there. */
class FromTail implements IterableIterator<ReadRecord> {
  private readonly lines: readonly Line[];
  private readonly oldest: number;
  private readonly marks: readonly string[];
  private older: Iterator<ReadRecord> | undefined;
  private index: number;

  constructor(
    lines: readonly Line[],
    oldest: number,
    marks: readonly string[],
    older: Iterator<ReadRecord> | undefined,
  ) {
    this.lines = lines;
    this.oldest = oldest;
    this.marks = marks;
    this.older = older;
    this.index = lines.length - 1;
  }

  [Symbol.iterator](): this {
    return this;
  }

  next(): IteratorResult<ReadRecord> {
    while (this.index >= 0) {
      const line = this.lines[this.index--] as Line;
      if (line.number <= this.oldest) return this.return();
      const record = hasMarks(line.text, this.marks) ? recordOf(line) : undefined;
      if (record) return { done: false, value: record };
    }
    return this.older?.next() ?? OVER;
  }

  /** Whoever stops early lets go of what the older lines are read from. */
  return(): IteratorResult<ReadRecord> {
    this.index = -1;
    this.older?.return?.();
    this.older = undefined;
    return OVER;
  }
}

const OVER = { done: true, value: undefined } as const;

/** The last used stands last: the first is the first to go. */
function keepNewest<T>(all: Map<string, T>, key: string, value: T, limit: number, drop: (old: T) => void): void {
  all.delete(key);
  all.set(key, value);
  for (const [oldest, old] of all) {
    if (all.size <= limit) break;
    drop(old);
    all.delete(oldest);
  }
}

function linesWith(mark: string, tail: Tail): readonly Line[] {
  const { lines, marked } = tail;
  const known = marked.get(mark);
  if (known && tail.newestMark === mark) return known;
  const found = known ?? lines.filter(({ text }) => text.includes(mark));
  keepNewest(marked, mark, found, MAX_MARKS, () => {});
  tail.newestMark = mark;
  return found;
}

/** Takes in what was appended; false: the file is not one that only grows, and must be read anew. */
function readOn(tail: Tail, { size }: Stats): boolean {
  if (size < tail.sizeBytes) return false;
  if (size === tail.sizeBytes) return true;
  const bytes = Buffer.allocUnsafe(size - tail.sizeBytes);
  let filled = 0;
  while (filled < bytes.length) {
    const count = readSync(tail.descriptor, bytes, filled, bytes.length - filled, tail.sizeBytes + filled);
    if (count === 0) break;
    filled += count;
  }
  // A line that is still being written is left for the next time.
  let start = 0;
  for (let end = bytes.indexOf(NEWLINE, start); end !== -1 && end < filled; end = bytes.indexOf(NEWLINE, start)) {
    takeIn(tail, bytes.toString("utf8", start, cutSeal(bytes, start, end)), tail.sizeBytes + start);
    start = end + 1;
  }
  tail.sizeBytes += start;
  keepTheNewest(tail);
  return true;
}

const NEWLINE = 0x0a;

/** Where the line ends now. In the bytes: text that was cut off would keep the whole in memory. */
function cutSeal(bytes: Buffer, start: number, end: number): number {
  const length = sealLength(bytes.toString("latin1", Math.max(start, end - LONGEST_SEAL), end));
  if (length === 0) return end;
  bytes.write("}", end - length);
  return end - length + 1;
}

function keepTheNewest(tail: Tail): void {
  const { lines, sizeBytes } = tail;
  const isTooMuch = lines.length > MAX_LINES * SLACK || sizeBytes - tail.from > MAX_BYTES * SLACK;
  if (!isTooMuch) return;
  const kept = lines.findIndex(({ from }, index) => lines.length - index <= MAX_LINES && sizeBytes - from <= MAX_BYTES);
  letGo(tail, kept === -1 ? lines.length : kept);
}

function takeIn({ lines, marked }: Tail, text: string, from: number, record?: ReadRecord): void {
  const line: Line = { text, from, number: newestNumber(lines) + 1, record, isParsed: record !== undefined };
  lines.push(line);
  marked.forEach((found, mark) => {
    if (text.includes(mark)) found.push(line);
  });
}

/** The oldest lines. */
function letGo(tail: Tail, count: number): void {
  if (count > 0) tail.lines = tail.lines.slice(count);
  tail.from = tail.lines[0]?.from ?? tail.sizeBytes;
  if (count === 0) return;
  // Other lists: somebody may be in the middle of the old ones.
  for (const [mark, found] of tail.marked)
    tail.marked.set(
      mark,
      found.filter(({ from }) => from >= tail.from),
    );
}

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
  marks: readonly string[],
): Generator<ReadRecord> {
  const snapshot = takeSnapshot(journal.file);
  try {
    let lines = 0;
    for (const file of filesFromEnd(snapshot)) {
      const isCurrent = file === snapshot.current;
      const end = isCurrent && before !== undefined ? Math.min(before, file.sizeBytes) : file.sizeBytes;
      for (const line of linesFromEnd(file.descriptor, end)) {
        if (lines++ >= maxLines) return;
        const record = hasMarks(line, marks) ? parseRecord(withoutSeal(line)) : undefined;
        if (record) yield record;
      }
    }
  } finally {
    snapshot.close();
  }
}
