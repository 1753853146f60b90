import { setImmediate } from "node:timers/promises";
import type { Journal } from "./journal.ts";
import { linesFromEnd } from "./lines-from-end.ts";
import { parseRecord, type ReadRecord } from "./read-record.ts";
import { filesFromEnd, type Snapshot, snapshotLines, takeSnapshot } from "./snapshot.ts";

export interface ReadOptions {
  readonly filter?: ((record: ReadRecord) => boolean) | undefined;
  /** Only the last so many of the records that pass the filter, still oldest first. */
  readonly last?: number | undefined;
}

export interface RecordReader extends AsyncIterable<ReadRecord> {
  /** How many lines were skipped so far because they hold no record. */
  readonly skippedCount: number;
}

/** The records of a journal, oldest first, through all of its files. */
export function readRecords(journal: Journal, { filter = () => true, last }: ReadOptions = {}): RecordReader {
  let skippedCount = 0;
  const pick: Picker = (text) => {
    const record = parseRecord(text);
    if (!record) skippedCount += 1;
    return record && filter(record) ? record : undefined;
  };
  return {
    get skippedCount() {
      return skippedCount;
    },
    async *[Symbol.asyncIterator]() {
      const snapshot = takeSnapshot(journal.file);
      try {
        if (last === undefined) yield* allRecords(snapshot, pick);
        else yield* await lastRecords(snapshot, pick, last);
      } finally {
        snapshot.close();
      }
    },
  };
}

type Picker = (text: string) => ReadRecord | undefined;

async function* allRecords(snapshot: Snapshot, pick: Picker): AsyncGenerator<ReadRecord> {
  for await (const { text } of snapshotLines(snapshot)) {
    const record = pick(text);
    if (record) yield record;
  }
}

/** Reads backwards, so that the last few records of a long journal cost little. */
async function lastRecords(snapshot: Snapshot, pick: Picker, count: number): Promise<ReadRecord[]> {
  const newestFirst: ReadRecord[] = [];
  for (const file of filesFromEnd(snapshot)) {
    let lines = 0;
    for (const text of linesFromEnd(file.descriptor, file.sizeBytes)) {
      if (newestFirst.length >= count) return newestFirst.reverse();
      const record = pick(text);
      if (record) newestFirst.push(record);
      lines += 1;
      if (lines % LINES_BETWEEN_BREATHS === 0) await setImmediate();
    }
  }
  return newestFirst.reverse();
}

// The reading is synchronous; a daemon has other things to answer meanwhile.
const LINES_BETWEEN_BREATHS = 1_000;
