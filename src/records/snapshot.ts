import { closeSync, constants, fstatSync, openSync, statSync } from "node:fs";
import { codeOf } from "./io-failure.ts";
import { listSegments } from "./segments.ts";
import { streamLines } from "./stream-lines.ts";

/** The files of a journal as they were at one moment, oldest first; later appends and rotations do not show. */
export interface Snapshot {
  readonly segmentPaths: readonly string[];
  readonly current: OpenFile | undefined;
  close(): void;
}

export interface OpenFile {
  readonly path: string;
  readonly descriptor: number;
  readonly sizeBytes: number;
}

export interface JournalLine {
  readonly file: string;
  readonly lineNumber: number;
  readonly text: string;
}

export function takeSnapshot(journalFile: string): Snapshot {
  // The current file is opened before the segments are listed: rotated in between, it is found twice, never not at all.
  const current = openIfThere(journalFile);
  const segmentPaths = listSegments(journalFile).map(({ path }) => path);
  const rotatedAt = current ? segmentPaths.findIndex((path) => isSameFile(path, current.descriptor)) : -1;
  return {
    segmentPaths: rotatedAt === -1 ? segmentPaths : segmentPaths.slice(0, rotatedAt),
    current,
    close: () => current && closeSync(current.descriptor),
  };
}

export async function* snapshotLines(snapshot: Snapshot): AsyncGenerator<JournalLine> {
  for (const path of snapshot.segmentPaths) {
    const segment = openIfThere(path);
    if (!segment) continue;
    try {
      yield* fileLines(segment);
    } finally {
      closeSync(segment.descriptor);
    }
  }
  if (snapshot.current) yield* fileLines(snapshot.current);
}

/** The newest file first; the current one stays open until the snapshot is closed. */
export function* filesFromEnd(snapshot: Snapshot): Generator<OpenFile> {
  if (snapshot.current) yield snapshot.current;
  for (const path of [...snapshot.segmentPaths].reverse()) {
    const segment = openIfThere(path);
    if (!segment) continue;
    try {
      yield segment;
    } finally {
      closeSync(segment.descriptor);
    }
  }
}

/** Whatever is there but is no regular file reads as empty. */
export function openIfThere(path: string): OpenFile | undefined {
  let descriptor: number;
  try {
    // Not blocking: somebody may have put a pipe there.
    descriptor = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    if (codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR") return undefined;
    throw error;
  }
  const status = fstatSync(descriptor);
  return { path, descriptor, sizeBytes: status.isFile() ? status.size : 0 };
}

async function* fileLines({ path, descriptor, sizeBytes }: OpenFile): AsyncGenerator<JournalLine> {
  let lineNumber = 0;
  for await (const { text } of streamLines(descriptor, 0, sizeBytes)) {
    lineNumber += 1;
    yield { file: path, lineNumber, text };
  }
}

export function isSameFile(path: string, descriptor: number): boolean {
  const there = statSync(path, { throwIfNoEntry: false });
  const open = fstatSync(descriptor);
  return there !== undefined && there.ino === open.ino && there.dev === open.dev;
}
