import { redactJson } from "../core/redact.ts";
import { type Head, type JournalRecord, READY_FIELDS, recordText, type WithReadyFields } from "./chain.ts";
import { type HeldLock, withFileLock } from "./file-lock.ts";
import { type IoFailure, ioFailure } from "./io-failure.ts";
import { openJournal } from "./journal-writer.ts";
import { drainSpool, spoolRecords } from "./spool.ts";

export interface Journal {
  readonly file: string;
  /** Remembers the last line. Outside the project, so that whoever cuts or deletes the journal cannot hide it. */
  readonly headFile?: string | undefined;
  /** Where records wait while the journal cannot be written. */
  readonly spoolDir?: string | undefined;
  readonly maxBytes?: number | undefined;
  /** Of a text in a record: a longer one is cut, and says so. */
  readonly maxTextCharacters?: number | undefined;
  readonly lockWaitMs?: number | undefined;
}

export type AppendResult =
  /** `warnings`: what else went wrong; the records themselves are in the journal. */
  | {
      readonly kind: "written";
      readonly head: Head;
      readonly drainedCount: number;
      readonly warnings: readonly IoFailure[];
    }
  /** The records wait in the spool; the next append that succeeds writes them first. */
  | { readonly kind: "spooled"; readonly cause: IoFailure; readonly spoolFile: string }
  /** The records are nowhere. The caller has to tell the person. */
  | { readonly kind: "lost"; readonly cause: IoFailure; readonly spoolCause?: IoFailure };

export const MAX_RECORD_LENGTH = 4 * 1024 * 1024;

/**
 * Appends records, redacted and chained, whatever other processes append at the same time. Throws for no trouble with
 * the disk: the result says where the records are. They survive the death of any process; a power failure may take the
 * last ones, since waiting for the disk on every tool call costs more than it saves.
 */
export const appendRecords: Append = (journal, records) => appendWith(appendUnderLock, journal, records);

export type Append = (journal: Journal, records: readonly JournalRecord[]) => AppendResult;
/** Whole records; undefined: the text alone has all of it. */
export type Records = readonly (object | undefined)[];
/** How the texts of records get into a journal; `records`: what they are the texts of. */
export type WriteTexts = (journal: Journal, texts: readonly string[], records?: Records) => AppendResult;

/** At once where nobody else writes to the journal. */
export type AppendSoon = (...given: Parameters<Append>) => AppendResult | Promise<AppendResult>;
export type WriteTextsSoon = (...given: Parameters<WriteTexts>) => AppendResult | Promise<AppendResult>;

/** Whatever way they are written: redacted first, and kept in the spool where they cannot be written. */
export function appendWith(write: WriteTexts, ...given: Parameters<Append>): AppendResult;
export function appendWith(write: WriteTextsSoon, ...given: Parameters<Append>): ReturnType<AppendSoon>;
export function appendWith(write: WriteTextsSoon, ...[journal, records]: Parameters<Append>): ReturnType<AppendSoon> {
  const redacted: (object | undefined)[] = [];
  const clean: string[] = [];
  for (const record of records) {
    const kept = redactJson(record, journal.maxTextCharacters);
    const ready = (record as WithReadyFields)[READY_FIELDS];
    const text = recordText(kept, ready);
    if (text.length > MAX_RECORD_LENGTH) return { kind: "lost", cause: recordTooLong(journal.file) };
    redacted.push(ready === undefined ? kept : undefined);
    clean.push(text);
  }
  const spool = (error: unknown) => keepInSpool(journal, clean, ioFailure(error));
  try {
    const result = write(journal, clean, redacted);
    return result instanceof Promise ? result.catch(spool) : result;
  } catch (error) {
    return spool(error);
  }
}

export const lockOf = ({ file, lockWaitMs }: Journal) => ({
  path: `${file}.lock`,
  options: { createDirectory: true, ...(lockWaitMs !== undefined && { waitMs: lockWaitMs }) },
});

const appendUnderLock: WriteTexts = (journal, texts) => {
  const { path, options } = lockOf(journal);
  return withFileLock(path, options, (lock) => appendHolding(lock, journal, texts));
};

function appendHolding(lock: HeldLock, journal: Journal, texts: readonly string[]): AppendResult {
  const warnings: IoFailure[] = [];
  const warn = (failure: IoFailure) => warnings.push(failure);
  const writer = openJournal(journal, lock, warn);
  try {
    const drainedCount = journal.spoolDir ? drainSpool(journal.spoolDir, journal.file, writer, warn) : 0;
    if (texts.length > 0) writer.write(texts);
    return { kind: "written", head: writer.head, drainedCount, warnings };
  } finally {
    writer.close();
  }
}

function keepInSpool(journal: Journal, texts: readonly string[], cause: IoFailure): AppendResult {
  if (journal.spoolDir === undefined) return { kind: "lost", cause };
  try {
    return { kind: "spooled", cause, spoolFile: spoolRecords(journal.spoolDir, journal.file, texts) };
  } catch (error) {
    return { kind: "lost", cause, spoolCause: ioFailure(error) };
  }
}

function recordTooLong(file: string): IoFailure {
  return {
    code: "RECORD_TOO_LONG",
    message: `a record for ${file} is longer than ${MAX_RECORD_LENGTH} characters; shorten it before recording it`,
  };
}
