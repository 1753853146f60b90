import { sequenceOf } from "../../engine/handed-row.ts";
import { CHAIN_START, type ChainBreak, checkLine, type Head, isAsSealed, readSeal } from "../../records/chain.ts";
import { type ChainedLine, followChain } from "../../records/follow-chain.ts";
import { readHeadFile } from "../../records/head-file.ts";
import type { Journal } from "../../records/journal.ts";
import { linesFromEnd } from "../../records/lines-from-end.ts";
import { recordsNewestFirst } from "../../records/newest-first.ts";
import { parseRecord, type ReadRecord } from "../../records/read-record.ts";
import { filesFromEnd, type JournalLine, snapshotLines, takeSnapshot } from "../../records/snapshot.ts";
import { problemAt } from "../../records/verify.ts";

/** So much is looked through from the end; further back, the journal is read from its beginning, a bit at a time. */
const FEW_LINES = 500;
const FEW_CHARACTERS = 4_000_000;

/** How far a journal is handed in; a server knows the number alone. */
export interface HandedUpTo {
  readonly seq: number;
  readonly hash?: string;
}

export interface NewRecord {
  readonly record: ReadRecord;
  readonly head: Head;
}

/**
 * What stands behind a record, oldest first: only lines that follow from one another, so that no line that somebody wrote
 * past the journal takes the place of a record on the server. `onBreak` is told of those, in a sentence for a person.
 */
export async function* newRecords(
  journal: Journal,
  last: HandedUpTo,
  onBreak: (sentence: string) => void,
): AsyncGenerator<NewRecord> {
  const head = headOf(journal);
  const few = fewNewest(journal, last, head);
  for await (const { text, head: reached } of few ?? followedFromStart(journal, last, head, onBreak)) {
    const record = parseRecord(text);
    if (record) yield { record, head: reached };
  }
}

/** The last number given in a journal, as far as the state directory and its newest lines know. */
export function newestSequence(journal: Journal): number {
  const newest = [...recordsNewestFirst(journal, { maxLines: FEW_LINES, marks: [] })].map(sequenceOf);
  return Math.max(headOf(journal)?.seq ?? 0, ...newest);
}

export const headOf = ({ headFile }: Journal): Head | undefined =>
  headFile === undefined ? undefined : readHeadFile(headFile);

/** Undefined: there is more further back, or something among them that is no record. */
function fewNewest(journal: Journal, last: HandedUpTo, head: Head | undefined): readonly ChainedLine[] | undefined {
  const behind = linesBehind(journal, last);
  if (!behind) return undefined;
  const found: ChainedLine[] = [];
  let reached = behind.before;
  let isProven = head === undefined || head.seq < last.seq || isSame(reached, head);
  for (const text of behind.lines) {
    const check = checkLine(text, reached);
    if (check.kind === "unreadable") continue;
    if (check.kind !== "intact") return undefined;
    reached = check.head;
    isProven ||= head !== undefined && isSame(reached, head);
    found.push({ text, head: reached });
  }
  return isProven ? found : undefined;
}

/** Read from the end, in the order they were written. */
function linesBehind(journal: Journal, last: HandedUpTo): { before: Head; lines: readonly string[] } | undefined {
  const newest: string[] = [];
  let characters = 0;
  const snapshot = takeSnapshot(journal.file);
  try {
    for (const { descriptor, sizeBytes } of filesFromEnd(snapshot))
      for (const text of linesFromEnd(descriptor, sizeBytes)) {
        const seal = readSeal(text);
        const isLast = seal?.seq === last.seq && seal.hash === (last.hash ?? seal.hash) && isAsSealed(text, seal);
        if (seal && isLast) return { before: seal, lines: newest.reverse() };
        newest.push(text);
        characters += text.length;
        if (newest.length > FEW_LINES || characters > FEW_CHARACTERS) return undefined;
      }
  } finally {
    snapshot.close();
  }
  return last.seq === 0 ? { before: CHAIN_START, lines: newest.reverse() } : undefined;
}

const isSame = (one: Head, other: Head) => one.seq === other.seq && one.hash === other.hash;

async function* followedFromStart(
  journal: Journal,
  last: HandedUpTo,
  head: Head | undefined,
  onBreak: (sentence: string) => void,
): AsyncGenerator<ChainedLine> {
  const told = (line: JournalLine, what: ChainBreak, before: Head) => onBreak(problemAt(line, what, before).sentence);
  const snapshot = takeSnapshot(journal.file);
  try {
    yield* followChain(() => snapshotLines(snapshot), { behind: last, remembered: head, onBreak: told });
  } finally {
    snapshot.close();
  }
}
