/** A run's event log: one line per event, numbered without a gap, added to in constant time whatever its length. */
import { closeSync, createReadStream, fstatSync, openSync, readSync } from "node:fs";
import { createInterface } from "node:readline";
import type { RunEvent } from "../store.ts";
import { codeOf, type Disk } from "./disk.ts";

export interface LogEnd {
  /** Of the last whole line; 0: there is none. */
  readonly cursor: number;
  /** What is whole; what follows was torn by a crash. Undefined: there is no file. */
  readonly bytes: number | undefined;
}

export function endOfLog(path: string): LogEnd {
  let file: number;
  try {
    file = openSync(path, "r");
  } catch (error) {
    if (codeOf(error) === "ENOENT") return { cursor: 0, bytes: undefined };
    throw error;
  }
  try {
    return lastWholeLine(file, fstatSync(file).size);
  } finally {
    closeSync(file);
  }
}

/** Adds those events the log does not have yet. */
export function appendEvents(disk: Disk, path: string, end: LogEnd, events: readonly RunEvent[]): void {
  const missing = events.filter(({ cursor }) => cursor > end.cursor);
  if (missing.length === 0) return;
  disk.append(path, missing.map((event) => `${JSON.stringify(event)}\n`).join(""), end.bytes);
}

export async function* eventsFrom(path: string, from: number): AsyncGenerator<RunEvent> {
  const lines = createInterface({ input: createReadStream(path, "utf8"), crlfDelay: Number.POSITIVE_INFINITY });
  try {
    for await (const line of lines) {
      const event = parsed(line);
      if (event && event.cursor >= from) yield event;
    }
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error;
  } finally {
    lines.close();
  }
}

const CHUNK_BYTES = 16 * 1024;

function lastWholeLine(file: number, sizeBytes: number): LogEnd {
  let wanted = CHUNK_BYTES;
  for (;;) {
    const start = Math.max(0, sizeBytes - wanted);
    const bytes = Buffer.alloc(sizeBytes - start);
    readSync(file, bytes, 0, bytes.length, start);
    for (let end = bytes.lastIndexOf(NEWLINE); end !== -1; ) {
      const before = end === 0 ? -1 : bytes.lastIndexOf(NEWLINE, end - 1);
      if (before === -1 && start > 0) break;
      const event = parsed(bytes.toString("utf8", before + 1, end));
      // A line that is no event was torn too: a disk may write the end of a line and not its middle.
      if (event) return { cursor: event.cursor, bytes: start + end + 1 };
      end = before;
    }
    if (start === 0) return { cursor: 0, bytes: 0 };
    wanted *= 4;
  }
}

const NEWLINE = 0x0a;

function parsed(line: string): RunEvent | undefined {
  try {
    const event = JSON.parse(line) as RunEvent | null;
    return typeof event?.cursor === "number" ? event : undefined;
  } catch {
    return undefined;
  }
}
