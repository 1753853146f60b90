import type { Journal } from "./journal.ts";
import { linesFromEnd } from "./lines-from-end.ts";
import { parseRecord, type ReadRecord } from "./read-record.ts";
import { filesFromEnd, takeSnapshot } from "./snapshot.ts";

export interface NewestFirstOptions {
  /** Looks no further back than this many lines: the cost does not grow with the journal. */
  readonly maxLines: number;
  /** Cheap test of a raw line before it is parsed. */
  mayMatch(line: string): boolean;
}

export type NewestFirst = (journal: Journal, options: NewestFirstOptions) => Iterable<ReadRecord>;

/** Records from the last to the first, read backwards and no further than is asked for. */
export function* recordsNewestFirst(
  journal: Journal,
  { maxLines, mayMatch }: NewestFirstOptions,
): Generator<ReadRecord> {
  const snapshot = takeSnapshot(journal.file);
  try {
    let lines = 0;
    for (const file of filesFromEnd(snapshot)) {
      for (const line of linesFromEnd(file.descriptor, file.sizeBytes)) {
        if (lines++ >= maxLines) return;
        const record = mayMatch(line) ? parseRecord(line) : undefined;
        if (record) yield record;
      }
    }
  } finally {
    snapshot.close();
  }
}
