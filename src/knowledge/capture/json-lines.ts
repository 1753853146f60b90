/** A transcript of one JSON object per line, which its host may be writing to. */
import { isJsonObject, type JsonObject } from "../../core/json.ts";
import { linesOf } from "./lines.ts";
import type { LineReader, TranscriptFaults, TranscriptItem } from "./transcript.ts";

/** No message of a person or a model is as long; what tools return, and pictures, may be. */
export const MAX_LINE_BYTES = 8 * 1024 * 1024;

export async function* jsonLines(
  path: string,
  read: LineReader,
  faults: TranscriptFaults,
): AsyncGenerator<TranscriptItem> {
  const onSkipped = () => {
    faults.longLines += 1;
  };
  let bad = false;
  for await (const line of linesOf(path, { maxBytes: MAX_LINE_BYTES, onSkipped })) {
    if (line.trim() === "") continue;
    // Only the last line may be torn: the host is about to finish it.
    if (bad) faults.badLines += 1;
    const record = parsed(line);
    bad = record === undefined;
    if (record) yield* read(record);
  }
}

function parsed(line: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
