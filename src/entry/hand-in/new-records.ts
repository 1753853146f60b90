import { sequenceOf } from "../../engine/handed-row.ts";
import type { Journal } from "../../records/journal.ts";
import { recordsNewestFirst } from "../../records/newest-first.ts";
import { readRecords } from "../../records/read.ts";
import type { ReadRecord } from "../../records/read-record.ts";

/** So many lines are looked through from the end; further back, the journal is read from its beginning, a bit at a time. */
const FEW = 2_000;

/** What stands behind a sequence number, oldest first. */
export async function* newRecords(journal: Journal, last: number): AsyncGenerator<ReadRecord> {
  const few = fewNewest(journal, last);
  if (few) yield* few;
  else yield* readRecords(journal, { filter: (record) => sequenceOf(record) > last });
}

/** Undefined: the record that is known was not among them. */
function fewNewest(journal: Journal, last: number): readonly ReadRecord[] | undefined {
  const newest: ReadRecord[] = [];
  for (const record of recordsNewestFirst(journal, { maxLines: FEW, marks: [] })) {
    if (sequenceOf(record) <= last) return newest.reverse();
    newest.push(record);
  }
  return undefined;
}
