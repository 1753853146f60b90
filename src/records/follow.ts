import { closeSync, fstatSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import type { Journal } from "./journal.ts";
import { endsWith, rawLinesFromEnd } from "./lines-from-end.ts";
import { parseRecord, type ReadRecord } from "./read-record.ts";
import { listSegments } from "./segments.ts";
import { isSameFile, type OpenFile, openIfThere } from "./snapshot.ts";
import { streamLines } from "./stream-lines.ts";

/**
 * The records that are appended after this call, through rotations, until the signal aborts. The place in the file is
 * taken now, not when the first record is asked for: a caller may read what is there in between.
 */
export function followRecords(journal: Journal, signal: AbortSignal): AsyncGenerator<ReadRecord> {
  const file = openIfThere(journal.file);
  return follow(journal.file, file, file ? endOfLastLine(file) : 0, signal);
}

async function* follow(
  journalFile: string,
  startFile: OpenFile | undefined,
  startOffset: number,
  signal: AbortSignal,
): AsyncGenerator<ReadRecord> {
  let file = startFile;
  let offset = startOffset;
  try {
    while (!signal.aborted) {
      // Asked before reading: what a rotated file holds now is all it will ever hold.
      const isCurrent = file !== undefined && isSameFile(journalFile, file.descriptor);
      if (file) {
        const sizeBytes = fstatSync(file.descriptor).size;
        // A write that did not fit was taken back.
        offset = Math.min(offset, sizeBytes);
        for await (const { text, isEnded, endOffset } of streamLines(file.descriptor, offset, sizeBytes)) {
          if (!isEnded) break;
          offset = endOffset;
          const record = parseRecord(text);
          if (record) yield record;
          if (signal.aborted) return;
        }
      }
      const next = isCurrent ? undefined : fileAfter(file, journalFile);
      if (next) {
        if (file) closeSync(file.descriptor);
        file = next;
        offset = 0;
      } else if (!(await pause(signal))) return;
    }
  } finally {
    if (file) closeSync(file.descriptor);
  }
}

const POLL_MS = 100;

async function pause(signal: AbortSignal): Promise<boolean> {
  try {
    await setTimeout(POLL_MS, undefined, { signal });
    return true;
  } catch {
    return false;
  }
}

/** Several rotations may have come between two looks. */
function fileAfter(file: OpenFile | undefined, journalFile: string): OpenFile | undefined {
  const segments = listSegments(journalFile);
  const index = file ? segments.findIndex(({ path }) => isSameFile(path, file.descriptor)) : -1;
  const next = index === -1 ? undefined : segments[index + 1];
  return openIfThere(next?.path ?? journalFile);
}

/** A line that is being written right now is still to come. */
function endOfLastLine({ descriptor, sizeBytes }: OpenFile): number {
  if (endsWith(descriptor, sizeBytes, "\n")) return sizeBytes;
  for (const bytes of rawLinesFromEnd(descriptor, sizeBytes)) return sizeBytes - bytes.length;
  return 0;
}
