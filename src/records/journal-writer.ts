import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  openSync,
  readSync,
  renameSync,
  statSync,
  writeSync,
} from "node:fs";
import { type Head, readSeal, sealLine } from "./chain.ts";
import type { HeldLock } from "./file-lock.ts";
import { findHead, lastIntactHead, sealEnd, TAIL_LIMIT_BYTES } from "./find-head.ts";
import { readHeadFile, writeHeadFile } from "./head-file.ts";
import { type IoFailure, ioFailure } from "./io-failure.ts";
import type { Journal } from "./journal.ts";
import { endsWith, linesFromEnd } from "./lines-from-end.ts";
import { listSegments, segmentPath } from "./segments.ts";

/** A journal opened for appending by the process that holds its lock. */
export interface JournalWriter {
  readonly head: Head;
  /** All of the records' texts in one write, or none of them and an error. */
  write(texts: readonly string[]): Written;
  linesFromEnd(): Iterable<string>;
  /** Whether the journal is still the file that was opened. */
  isInPlace(): boolean;
  /** Before the lock is given up: the file stays open for a later `resume`. */
  rest(): void;
  /** Goes on under another lock; false: others wrote meanwhile, and the journal must be opened anew. */
  resume(lock: HeldLock): boolean;
  close(): void;
}

/** Where the lines of records lie in the journal. */
export interface Written {
  readonly inode: number;
  readonly from: number;
  readonly to: number;
}

export class JournalWriteError extends Error {
  readonly code: "SHORT_WRITE" | "LOCK_LOST" | "NOT_A_FILE";
  constructor(code: JournalWriteError["code"], message: string) {
    super(message);
    this.name = "JournalWriteError";
    this.code = code;
  }
}

const DEFAULT_MAX_BYTES = 64 * 1024 * 1024;

/** "on rest": for who writes many times under one lock. Until then a crash leaves an old head, which is found. */
export function openJournal(
  journal: Journal,
  givenLock: HeldLock,
  warn: (failure: IoFailure) => void,
  remember: "at once" | "on rest" = "at once",
): JournalWriter {
  const { file, headFile, maxBytes = DEFAULT_MAX_BYTES } = journal;
  let lock = givenLock;
  let { descriptor, inode, sizeBytes } = openForAppending(file);
  let { head, isTorn } = orCloseOnError(descriptor, () => {
    const found = findHead(descriptor, sizeBytes, rememberedHead(headFile, warn), () => newestSegmentHead(file));
    if (found.isBroken) warn(journalBroken(journal, found.head.seq));
    return found;
  });

  const assertHeld = () => {
    if (lock.isHeld()) return;
    throw new JournalWriteError("LOCK_LOST", `the lock of ${file} was taken over while it was held`);
  };
  let isRemembered = true;
  const rememberHead = () => {
    if (headFile !== undefined && !isRemembered) attempt(warn, () => writeHeadFile(headFile, head));
    isRemembered = true;
  };

  return {
    get head() {
      return head;
    },
    write(texts) {
      const sealed = sealAll(texts, head);
      const lines = Buffer.from(sealed.text);
      assertHeld();
      if (sizeBytes > 0 && sizeBytes + lines.length > maxBytes) {
        // Without the lock this would be somebody else's file.
        rotate();
        assertHeld();
      }
      const bytes = isTorn ? Buffer.concat([Buffer.from("\n"), lines]) : lines;
      writeWhole(descriptor, bytes, sizeBytes);
      head = sealed.head;
      sizeBytes += bytes.length;
      isTorn = false;
      isRemembered = false;
      if (remember === "at once") rememberHead();
      return { inode, from: sizeBytes - lines.length, to: sizeBytes };
    },
    linesFromEnd: () => linesFromEnd(descriptor, sizeBytes, TAIL_LIMIT_BYTES),
    isInPlace: () => statSync(file, { throwIfNoEntry: false })?.ino === inode,
    rest: rememberHead,
    resume(next) {
      const there = statSync(file, { throwIfNoEntry: false });
      const open = fstatSync(descriptor);
      if (there?.ino !== open.ino || open.size !== sizeBytes || !endsWith(descriptor, sizeBytes, sealEnd(head))) {
        return false;
      }
      lock = next;
      return true;
    },
    close: () => closeSync(descriptor),
  };

  // A journal that cannot be rotated grows; that loses less than not writing.
  function rotate(): void {
    // Otherwise a crash would leave a head that lies in the segment, from which the new file does not go on.
    rememberHead();
    const renamed = attempt(warn, () => {
      renameSync(file, segmentPath(file, firstSeqOf(descriptor) ?? nextSegmentSeq(file), head.seq));
      return true;
    });
    if (!renamed) return;
    const fresh = openForAppending(file);
    closeSync(descriptor);
    ({ descriptor, inode, sizeBytes } = fresh);
    isTorn = false;
  }
}

function sealAll(texts: readonly string[], head: Head): { readonly text: string; readonly head: Head } {
  let last = head;
  let lines = "";
  for (const text of texts) {
    const line = sealLine(text, last);
    lines += `${line.text}\n`;
    last = line.head;
  }
  return { text: lines, head: last };
}

/** One write call. If not everything fits, nothing of it stays: half a line would look like a crash. */
function writeWhole(descriptor: number, bytes: Buffer, sizeBytes: number): void {
  let written = 0;
  try {
    written = writeSync(descriptor, bytes);
    if (written === bytes.length) return;
    throw new JournalWriteError("SHORT_WRITE", `only ${written} of ${bytes.length} bytes fit: the disk is full`);
  } catch (error) {
    // If this fails too, the next append closes the torn line.
    try {
      ftruncateSync(descriptor, sizeBytes);
    } catch {}
    throw error;
  }
}

interface OpenFile {
  readonly descriptor: number;
  /** No other file has it as long as this one is open. */
  readonly inode: number;
  readonly sizeBytes: number;
}

function openForAppending(file: string): OpenFile {
  // Whoever can put a link in the journal's place must not choose the file that is written to.
  const flags = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0);
  const descriptor = openSync(file, flags, 0o600);
  return orCloseOnError(descriptor, () => {
    const status = fstatSync(descriptor);
    if (!status.isFile()) throw new JournalWriteError("NOT_A_FILE", `${file} is not a regular file`);
    return { descriptor, inode: status.ino, sizeBytes: status.size };
  });
}

function rememberedHead(headFile: string | undefined, warn: (failure: IoFailure) => void): Head | undefined {
  return headFile === undefined ? undefined : attempt(warn, () => readHeadFile(headFile));
}

function journalBroken({ file, headFile }: Journal, seq: number): IoFailure {
  return {
    code: "JOURNAL_BROKEN",
    message: `${file} does not end with record ${seq}, which ${headFile} remembers: lines were removed or rewritten`,
  };
}

function newestSegmentHead(file: string): Head | undefined {
  const newest = listSegments(file).at(-1);
  if (!newest) return undefined;
  const descriptor = openSync(newest.path, "r");
  try {
    return lastIntactHead(descriptor, fstatSync(descriptor).size);
  } finally {
    closeSync(descriptor);
  }
}

const FIRST_LINE_BYTES = 64 * 1024;

function firstSeqOf(descriptor: number): number | undefined {
  const start = Buffer.alloc(FIRST_LINE_BYTES);
  const bytesRead = readSync(descriptor, start, 0, FIRST_LINE_BYTES, 0);
  const newline = start.subarray(0, bytesRead).indexOf("\n");
  return newline === -1 ? undefined : readSeal(start.toString("utf8", 0, newline))?.seq;
}

function nextSegmentSeq(file: string): number {
  return (listSegments(file).at(-1)?.lastSeq ?? 0) + 1;
}

function attempt<T>(warn: (failure: IoFailure) => void, work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    warn(ioFailure(error));
    return undefined;
  }
}

function orCloseOnError<T>(descriptor: number, work: () => T): T {
  try {
    return work();
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
}
