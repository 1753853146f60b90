/** What an attempt printed, as people see it: secrets taken out, of a long one the end, or all of it piece by piece. */
import { closeSync, createReadStream, openSync, readSync, statSync } from "node:fs";
import { redact } from "../../../core/redact.ts";
import type { OutputFile, RunStore } from "../../../runs/store.ts";
import { redactedPieces } from "./redacted-pieces.ts";

export interface AttemptOutput {
  readonly text: string;
  /** Its beginning is left out. */
  readonly isCut: boolean;
}

/**
 * No secret is longer. Half of one no longer looks like one, so what is read begins this much before what is shown, and
 * half of that is never shown: it may hold the end of one whose beginning was not read.
 */
const MARGIN = 64 * 1024;

/** The end of it, whole lines only. */
export async function attemptOutput(
  store: RunStore,
  run: string,
  attempt: number,
  maxCharacters: number,
): Promise<AttemptOutput> {
  const output = await store.attemptOutput(run, attempt);
  const bytes = output === undefined ? 0 : (statSync(output.file, { throwIfNoEntry: false })?.size ?? 0);
  if (output === undefined || bytes === 0) return { text: "", isCut: false };
  const from = Math.max(0, bytes - maxCharacters - MARGIN);
  const text = redact(readFrom(output.file, from, bytes - from));
  const isWhole = bytes <= maxCharacters && output.lostBytes === 0;
  if (isWhole) return { text, isCut: false };
  const unsafe = from > 0 || output.lostBytes > 0 ? MARGIN / 2 : 0;
  const begin = Math.max(unsafe, text.length - maxCharacters);
  return { text: fromNextLine(text, begin), isCut: begin > 0 };
}

/** All that is kept of it. */
export async function* wholeOutput({ file, lostBytes }: OutputFile): AsyncGenerator<string> {
  const pieces = redactedPieces(createReadStream(file, { encoding: "utf8", highWaterMark: 256 * 1024 }), MARGIN);
  if (lostBytes === 0) return yield* pieces;
  yield `[the first ${lostBytes} bytes and a little more are not kept]\n`;
  let unsafe = MARGIN / 2;
  for await (const piece of pieces) {
    if (unsafe === 0) yield piece;
    else if (piece.length <= unsafe) unsafe -= piece.length;
    else {
      yield fromNextLine(piece, unsafe);
      unsafe = 0;
    }
  }
}

function fromNextLine(text: string, begin: number): string {
  if (begin === 0) return text;
  const end = text.indexOf("\n", begin);
  return end < 0 ? "" : text.slice(end + 1);
}

function readFrom(file: string, start: number, length: number): string {
  const handle = openSync(file, "r");
  try {
    const buffer = Buffer.alloc(length);
    const read = readSync(handle, buffer, 0, length, start);
    return buffer.toString("utf8", 0, read);
  } finally {
    closeSync(handle);
  }
}
