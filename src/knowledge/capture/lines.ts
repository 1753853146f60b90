/** The lines of a file one after another, whatever its size and theirs: no more of it is in memory than one line. */
import { open } from "node:fs/promises";

export interface LineLimits {
  /** Longer lines are skipped. */
  readonly maxBytes: number;
  /** Hears of each that was, with its length. */
  readonly onSkipped: (bytes: number) => void;
  readonly from?: number;
}

const CHUNK_BYTES = 256 * 1024;
const NEWLINE = 10;

/** A last line without an end is given too: whoever reads it sees whether it is torn. */
export async function* linesOf(path: string, { maxBytes, onSkipped, from = 0 }: LineLimits): AsyncGenerator<string> {
  const file = await open(path, "r");
  try {
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    const line = lineBuffer(maxBytes);
    for (let at = from; ; ) {
      const { bytesRead } = await file.read(chunk, 0, CHUNK_BYTES, at);
      if (bytesRead === 0) break;
      at += bytesRead;
      let begin = 0;
      for (;;) {
        const end = chunk.subarray(0, bytesRead).indexOf(NEWLINE, begin);
        if (end === -1) break;
        line.add(chunk.subarray(begin, end));
        begin = end + 1;
        const text = line.take(onSkipped);
        if (text !== undefined) yield text;
      }
      line.add(chunk.subarray(begin, bytesRead));
    }
    const rest = line.take(onSkipped);
    if (rest) yield rest;
  } finally {
    await file.close();
  }
}

/** The pieces of the line that is being read; of one that is too long only its length is kept. */
function lineBuffer(maxBytes: number) {
  let pieces: Buffer[] = [];
  let bytes = 0;
  return {
    add(piece: Buffer): void {
      bytes += piece.length;
      if (bytes > maxBytes) pieces = [];
      else if (piece.length > 0) pieces.push(Buffer.from(piece));
    },
    take(onSkipped: (bytes: number) => void): string | undefined {
      const tooLong = bytes > maxBytes;
      if (tooLong) onSkipped(bytes);
      const text = tooLong ? undefined : Buffer.concat(pieces).toString("utf8").replace(/\r$/, "");
      pieces = [];
      bytes = 0;
      return text;
    },
  };
}
