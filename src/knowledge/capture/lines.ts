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
const RETURN = 13;
const NOTHING = Buffer.alloc(0);

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
        const text = line.ended(chunk.subarray(begin, end), onSkipped);
        begin = end + 1;
        if (text !== undefined) yield text;
      }
      line.add(chunk.subarray(begin, bytesRead));
    }
    const rest = line.ended(NOTHING, onSkipped);
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
    /** A copy: the chunk is read into again. */
    add(piece: Buffer): void {
      bytes += piece.length;
      if (bytes > maxBytes) pieces = [];
      else if (piece.length > 0) pieces.push(Buffer.from(piece));
    },
    ended(last: Buffer, onSkipped: (bytes: number) => void): string | undefined {
      const whole = bytes === 0 ? last : Buffer.concat([...pieces, last]);
      const length = bytes + last.length;
      pieces = [];
      bytes = 0;
      if (length <= maxBytes) return whole.toString("utf8", 0, whole.at(-1) === RETURN ? length - 1 : length);
      onSkipped(length);
      return undefined;
    },
  };
}
