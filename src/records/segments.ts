import { existsSync, readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { codeOf } from "./io-failure.ts";

/** A file that a journal was rotated into: `ledger.000000000001-000000004000.jsonl` next to `ledger.jsonl`. */
export interface Segment {
  readonly path: string;
  readonly firstSeq: number;
  readonly lastSeq: number;
}

/** The segments of a journal, oldest first. */
export function listSegments(journalFile: string): Segment[] {
  const directory = dirname(journalFile);
  const stem = stemOf(journalFile);
  const segments: Segment[] = [];
  for (const name of namesIn(directory)) {
    if (!name.startsWith(`${stem}.`)) continue;
    const [, firstSeq, lastSeq] = SEGMENT_SUFFIX.exec(name.slice(stem.length)) ?? [];
    if (firstSeq === undefined || lastSeq === undefined) continue;
    segments.push({ path: join(directory, name), firstSeq: Number(firstSeq), lastSeq: Number(lastSeq) });
  }
  // By name within the same sequence numbers, so that `…-000000004000.2.jsonl` follows.
  return segments.sort(
    (a, b) =>
      a.firstSeq - b.firstSeq || a.lastSeq - b.lastSeq || a.path.length - b.path.length || (a.path < b.path ? -1 : 1),
  );
}

/** A name for the segment that no file has yet: renaming onto a file would delete it. */
export function segmentPath(journalFile: string, firstSeq: number, lastSeq: number): string {
  const range = `${pad(firstSeq)}-${pad(lastSeq)}`;
  for (let copy = 1; ; copy++) {
    const suffix = copy === 1 ? "" : `.${copy}`;
    const path = join(dirname(journalFile), `${stemOf(journalFile)}.${range}${suffix}.jsonl`);
    if (!existsSync(path)) return path;
  }
}

const SEGMENT_SUFFIX = /^\.(\d{12,15})-(\d{12,15})(?:\.\d+)?\.jsonl$/;

function stemOf(journalFile: string): string {
  return basename(journalFile, ".jsonl");
}

function pad(seq: number): string {
  return String(seq).padStart(12, "0");
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch (error) {
    if (codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR") return [];
    throw error;
  }
}
