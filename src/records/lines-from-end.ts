import { readSync } from "node:fs";
import { decodeLine } from "./decode-line.ts";

/** The lines of an open file from the last to the first, reading backwards and no further than is asked for. */
export function* linesFromEnd(descriptor: number, sizeBytes: number, limitBytes = sizeBytes): Generator<string> {
  for (const bytes of rawLinesFromEnd(descriptor, sizeBytes, limitBytes)) yield decodeLine(bytes);
}

export function* rawLinesFromEnd(descriptor: number, sizeBytes: number, limitBytes = sizeBytes): Generator<Buffer> {
  const stopAt = Math.max(0, sizeBytes - limitBytes);
  let position = sizeBytes;
  let chunkBytes = FIRST_CHUNK_BYTES;
  // The pieces of the line being collected, the last piece first.
  let pieces: Buffer[] = [];
  let isPastLastNewline = true;

  while (position > stopAt) {
    const chunk = readChunk(descriptor, Math.max(stopAt, position - chunkBytes), position);
    position -= chunk.length;
    chunkBytes = Math.min(chunkBytes * 4, LARGEST_CHUNK_BYTES);

    let end = chunk.length;
    for (let newline = lastNewline(chunk, end); newline !== -1; newline = lastNewline(chunk, end)) {
      const line = joined([...pieces, chunk.subarray(newline + 1, end)]);
      if (!isPastLastNewline || line.length > 0) yield line;
      isPastLastNewline = false;
      pieces = [];
      end = newline;
    }
    pieces.push(chunk.subarray(0, end));
  }
  if (position === 0 && sizeBytes > 0) yield joined(pieces);
}

/** Whether the file ends with an ASCII text. */
export function endsWith(descriptor: number, sizeBytes: number, ending: string): boolean {
  if (sizeBytes < ending.length) return false;
  return readChunk(descriptor, sizeBytes - ending.length, sizeBytes).toString("latin1") === ending;
}

const FIRST_CHUNK_BYTES = 8 * 1024;
const LARGEST_CHUNK_BYTES = 1024 * 1024;

function lastNewline(chunk: Buffer, end: number): number {
  return end === 0 ? -1 : chunk.lastIndexOf("\n", end - 1);
}

function readChunk(descriptor: number, from: number, to: number): Buffer {
  const chunk = Buffer.alloc(to - from);
  let filled = 0;
  while (filled < chunk.length) {
    const count = readSync(descriptor, chunk, filled, chunk.length - filled, from + filled);
    // The file shrank under a reader that has no lock: what is gone reads as zeros, which are no record.
    if (count === 0) break;
    filled += count;
  }
  return chunk;
}

function joined(lastFirst: readonly Buffer[]): Buffer {
  return Buffer.concat([...lastFirst].reverse());
}
