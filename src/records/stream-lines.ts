import { read } from "node:fs";
import { promisify } from "node:util";
import { decodeLine, MAX_LINE_BYTES } from "./decode-line.ts";

export interface StreamedLine {
  readonly text: string;
  readonly isEnded: boolean;
  /** The offset behind the line and its newline. */
  readonly endOffset: number;
}

/** The lines of an open file between two offsets, a chunk at a time. */
export async function* streamLines(descriptor: number, from: number, to: number): AsyncGenerator<StreamedLine> {
  const chunk = Buffer.alloc(CHUNK_BYTES);
  let line = emptyLine();
  let position = from;
  while (position < to) {
    const { bytesRead } = await readAt(descriptor, chunk, 0, Math.min(CHUNK_BYTES, to - position), position);
    if (bytesRead === 0) break;
    const filled = chunk.subarray(0, bytesRead);
    let start = 0;
    for (let newline = filled.indexOf("\n"); newline !== -1; newline = filled.indexOf("\n", start)) {
      line.add(filled.subarray(start, newline));
      yield { text: line.text(), isEnded: true, endOffset: position + newline + 1 };
      line = emptyLine();
      start = newline + 1;
    }
    line.add(filled.subarray(start));
    position += bytesRead;
  }
  if (line.hasBytes()) yield { text: line.text(), isEnded: false, endOffset: position };
}

const readAt = promisify(read);
const CHUNK_BYTES = 256 * 1024;

function emptyLine() {
  let pieces: Buffer[] = [];
  let lengthBytes = 0;
  return {
    add(piece: Buffer): void {
      lengthBytes += piece.length;
      if (lengthBytes > MAX_LINE_BYTES) pieces = [];
      else pieces.push(Buffer.from(piece));
    },
    text: (): string => decodeLine(Buffer.concat(pieces)),
    hasBytes: (): boolean => lengthBytes > 0,
  };
}
