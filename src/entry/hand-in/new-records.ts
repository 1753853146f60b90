import { sequenceOf } from "../../engine/handed-row.ts";
import { readHeadFile } from "../../records/head-file.ts";
import type { Journal } from "../../records/journal.ts";
import { recordsNewestFirst } from "../../records/newest-first.ts";
import { readRecords } from "../../records/read.ts";
import type { ReadRecord } from "../../records/read-record.ts";

/** So much is looked through from the end; further back, the journal is read from its beginning, a bit at a time. */
const FEW_LINES = 500;
const FEW_CHARACTERS = 4_000_000;

/** What stands behind a sequence number, oldest first. */
export async function* newRecords(journal: Journal, last: number): AsyncGenerator<ReadRecord> {
  const head = headOf(journal);
  const few = fewNewest(journal, last, head);
  if (few) yield* few;
  else yield* readRecords(journal, { filter: standsBehind(last, head) });
}

/** The last number given in a journal, as far as the state directory and its newest lines know. */
export function newestSequence(journal: Journal): number {
  const newest = [...recordsNewestFirst(journal, { maxLines: FEW_LINES, marks: [] })].map(sequenceOf);
  return Math.max(headOf(journal) ?? 0, ...newest);
}

const headOf = ({ headFile }: Journal) => (headFile === undefined ? undefined : readHeadFile(headFile)?.seq);

/** Undefined: there is more further back, or there may be. Lines that somebody put in between prove nothing. */
function fewNewest(journal: Journal, last: number, head: number | undefined): readonly ReadRecord[] | undefined {
  const newest: ReadRecord[] = [];
  let characters = 0;
  for (const record of recordsNewestFirst(journal, { maxLines: FEW_LINES, marks: [] })) {
    if (sequenceOf(record) <= last) continue;
    newest.push(record);
    characters += JSON.stringify(record).length;
    if (characters > FEW_CHARACTERS) return undefined;
    if (newest.length === sequenceOf(newest[0] ?? record) - last) break;
  }
  const found = newest.reverse().filter(standsBehind(last, head));
  const isWithoutGap = found.every((record, index) => sequenceOf(record) === last + 1 + index);
  return isWithoutGap && last + found.length >= (head ?? 0) ? found : undefined;
}

/** A number that jumps past the head was never given, and once handed in it would hide all records that follow. */
function standsBehind(last: number, head = Number.MAX_SAFE_INTEGER): (record: ReadRecord) => boolean {
  let reached = last;
  return (record) => {
    const sequence = sequenceOf(record);
    if (sequence <= last || (sequence > head && sequence > reached + 1)) return false;
    reached = Math.max(reached, sequence);
    return true;
  };
}
