import type { Journal } from "./journal.ts";
import { linesFromEnd } from "./lines-from-end.ts";
import { parseRecord, type ReadRecord } from "./read-record.ts";
import { filesFromEnd, takeSnapshot } from "./snapshot.ts";

export interface NewestFirstOptions {
  /** Looks no further back than this many lines: the cost does not grow with the journal. */
  readonly maxLines: number;
  /** Texts that a raw line must hold to be worth parsing; the first tells lines apart best. */
  readonly marks: readonly string[];
}

export function hasMarks(line: string, marks: readonly string[]): boolean {
  for (const mark of marks) if (!line.includes(mark)) return false;
  return true;
}

export type NewestFirst = (journal: Journal, options: NewestFirstOptions) => Iterable<ReadRecord>;

/** Records from the last to the first, read backwards and no further than is asked for. */
export function* recordsNewestFirst(journal: Journal, { maxLines, marks }: NewestFirstOptions): Generator<ReadRecord> {
  const snapshot = takeSnapshot(journal.file);
  try {
    let lines = 0;
    for (const file of filesFromEnd(snapshot)) {
      for (const line of linesFromEnd(file.descriptor, file.sizeBytes)) {
        if (lines++ >= maxLines) return;
        const record = hasMarks(line, marks) ? parseRecord(line) : undefined;
        if (record) yield record;
      }
    }
  } finally {
    snapshot.close();
  }
}
