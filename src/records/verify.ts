import { basename } from "node:path";
import { CHAIN_START, type ChainBreak, checkLine, type Head, readSeal } from "./chain.ts";
import { withFileLock } from "./file-lock.ts";
import { readHeadFile } from "./head-file.ts";
import { codeOf } from "./io-failure.ts";
import type { Journal } from "./journal.ts";
import { type JournalLine, type Snapshot, snapshotLines, takeSnapshot } from "./snapshot.ts";

export interface JournalReport {
  readonly ok: boolean;
  /** Readable lines, in all files. */
  readonly lines: number;
  /** Halves of lines that a crash left between intact ones; nothing that was ever acknowledged is missing there. */
  readonly fragments: number;
  /** Without a remembered head nobody can tell whether the last lines were cut off. */
  readonly isHeadKnown: boolean;
  /** The first one. */
  readonly problem?: JournalProblem;
}

export interface JournalProblem {
  readonly kind: "edited" | "missing" | "reordered" | "torn" | "cut-off";
  readonly file: string;
  readonly line: number;
  /** The record that is edited, missing or out of place. */
  readonly seq: number;
  /** For a person. */
  readonly sentence: string;
}

/** Follows the chain through every file of the journal, from the first record to the remembered head. */
export async function verifyJournal(journal: Journal): Promise<JournalReport> {
  const { snapshot, remembered } = openQuietly(journal);
  try {
    const inspection = inspector(journal.file, remembered);
    for await (const line of snapshotLines(snapshot)) inspection.see(line);
    return inspection.report();
  } finally {
    snapshot.close();
  }
}

interface QuietJournal {
  readonly snapshot: Snapshot;
  readonly remembered: Head | undefined;
}

/** Under the lock, so that no write is half done. A journal that cannot be locked cannot be written here either. */
function openQuietly(journal: Journal): QuietJournal {
  const open = (): QuietJournal => ({
    remembered: journal.headFile === undefined ? undefined : readHeadFile(journal.headFile),
    snapshot: takeSnapshot(journal.file),
  });
  try {
    return withFileLock(`${journal.file}.lock`, {}, open);
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    return open();
  }
}

function inspector(currentFile: string, remembered: Head | undefined) {
  let head = CHAIN_START;
  let lines = 0;
  let fragments = 0;
  let lastLine: Pick<JournalLine, "file" | "lineNumber"> = { file: currentFile, lineNumber: 0 };
  let fragment: JournalLine | undefined;
  let problem: JournalProblem | undefined;

  return { see, report };

  function see(line: JournalLine): void {
    lastLine = line;
    const check = checkLine(line.text, head);
    if (check.kind === "unreadable") fragments += 1;
    else lines += 1;
    if (problem) problem = withHindsight(problem, line);
    else if (check.kind === "unreadable") fragment ??= line;
    else if (check.kind === "intact") follow(line, check.head);
    else problem = problemAt(line, check, head, fragment);
  }

  function follow(line: JournalLine, next: Head): void {
    head = next;
    fragment = undefined;
    if (remembered && next.seq === remembered.seq && next.hash !== remembered.hash) {
      problem = at(line, "edited", next.seq, "is not the one that was written: it, or a line before it, was replaced");
    }
  }

  function report(): JournalReport {
    const found = problem ?? problemAtEnd();
    return { ok: !found, lines, fragments, isHeadKnown: remembered !== undefined, ...(found && { problem: found }) };
  }

  function problemAtEnd(): JournalProblem | undefined {
    const seq = head.seq + 1;
    if (remembered && head.seq >= remembered.seq) return undefined;
    if (fragment) return at(fragment, "torn", seq, "is only part of a line: it was damaged, or a crash cut it short");
    if (!remembered) return undefined;
    const { file, lineNumber } = lastLine;
    const range = records(seq, remembered.seq);
    const sentence = `${basename(file)} ends after line ${lineNumber}, but ${range} had been written after it: the end was cut off.`;
    return { kind: "cut-off", file, line: lineNumber + 1, seq, sentence };
  }
}

/** What is wrong with a line that should follow the head. */
export function problemAt(
  line: JournalLine,
  check: ChainBreak,
  head: Head,
  fragment?: JournalLine | undefined,
): JournalProblem {
  switch (check.kind) {
    case "edited":
      return at(line, "edited", check.seq ?? head.seq + 1, EDITED_BY[check.by]);
    case "reordered":
      return at(line, "reordered", check.seq, `holds record ${check.seq}, which belongs before record ${head.seq}`);
    case "missing": {
      const gap = records(check.expectedSeq, check.seq - 1);
      if (fragment) return at(fragment, "torn", check.expectedSeq, `cannot be read, and ${gap} should be there`);
      return at(line, "missing", check.expectedSeq, `holds record ${check.seq}, but ${gap} should come before it`);
    }
  }
}

const EDITED_BY = {
  content: "was changed after it was written",
  seal: "has no seal: something else wrote it, or its seal was removed",
  link: "does not follow from the line before it: one of the two was replaced",
} as const;

/** A record that is missing here and turns up further down was moved. */
function withHindsight(problem: JournalProblem, line: JournalLine): JournalProblem {
  if (problem.kind !== "missing" || readSeal(line.text)?.seq !== problem.seq) return problem;
  const moved = `the record that belongs there, ${problem.seq}, is in line ${line.lineNumber} of ${basename(line.file)}`;
  return { ...problem, kind: "reordered", sentence: `${place(problem.file, problem.line)} is out of order: ${moved}.` };
}

function at(line: JournalLine, kind: JournalProblem["kind"], seq: number, what: string): JournalProblem {
  const { file, lineNumber } = line;
  return { kind, file, line: lineNumber, seq, sentence: `${place(file, lineNumber)} ${what}.` };
}

function place(file: string, lineNumber: number): string {
  return `Line ${lineNumber} of ${basename(file)}`;
}

function records(firstSeq: number, lastSeq: number): string {
  return firstSeq === lastSeq ? `record ${firstSeq}` : `records ${firstSeq} to ${lastSeq}`;
}
