/** `.state/usage.jsonl`: a line for each reading, no more of them than are kept. Nobody but capture reads it. */
import { appendFile, stat } from "node:fs/promises";
import type { HeldLock } from "../lock.ts";
import { linesOf } from "./lines.ts";
import { replaceLog } from "./log-writer.ts";

export interface UsageLine {
  readonly document: string;
  readonly type: "leaf" | "index";
  readonly session_id: string;
  readonly used_at: string;
}

/** What is older goes, and of what is left the oldest, once the file is longer: then so much that it is not soon again. */
const KEPT_DAYS = 180;
const MOST_BYTES = 1024 * 1024;
const BYTES_AFTER = MOST_BYTES / 2;

const MAX_LINE_BYTES = 64 * 1024;
const DAY_MS = 24 * 60 * 60 * 1000;

interface Held {
  readonly lock: HeldLock;
  readonly now: Date;
  /** Its lines stay, however old: what is recorded of it tells what is missing. */
  readonly sessionId: string;
}

/** Under the lock of the file. `missing` is told how often each document is recorded for the session, and says what is not. */
export async function addUsage(
  file: string,
  held: Held,
  missing: (recorded: ReadonlyMap<string, number>) => readonly UsageLine[],
): Promise<void> {
  const { recorded, hasOld } = await look(file, held);
  const added = missing(recorded).map(textOf).join("");
  if (!hasOld && (await sizeOf(file)) + Buffer.byteLength(added) <= MOST_BYTES) {
    if (added !== "") await appendFile(file, added, { mode: 0o600 });
    return;
  }
  const kept = await keptOf(file, held);
  await replaceLog(file, held, (target) => target.appendFile(kept + added));
}

async function look(file: string, { now, sessionId }: Held) {
  const recorded = new Map<string, number>();
  let hasOld = false;
  for await (const line of usageLines(file)) {
    const { document, session_id } = line;
    if (session_id === sessionId) recorded.set(document, (recorded.get(document) ?? 0) + 1);
    else hasOld ||= isOld(line, now);
  }
  return { recorded, hasOld };
}

interface Kept {
  readonly text: string;
  readonly isOwn: boolean;
}

async function keptOf(file: string, { now, sessionId }: Held): Promise<string> {
  let kept: Kept[] = [];
  let bytes = 0;
  for await (const line of usageLines(file)) {
    const isOwn = line.session_id === sessionId;
    if (!isOwn && isOld(line, now)) continue;
    const text = textOf(line);
    kept.push({ text, isOwn });
    bytes += Buffer.byteLength(text);
    // Now and then, so that a file of any length takes the memory of a short one.
    if (bytes <= 2 * MOST_BYTES) continue;
    kept = newestOf(kept);
    bytes = kept.reduce((sum, { text: one }) => sum + Buffer.byteLength(one), 0);
  }
  return newestOf(kept)
    .map(({ text }) => text)
    .join("");
}

function newestOf(kept: readonly Kept[]): Kept[] {
  let left = BYTES_AFTER;
  const newest = kept.toReversed().filter(({ text, isOwn }) => {
    if (isOwn) return true;
    left -= Buffer.byteLength(text);
    return left >= 0;
  });
  return newest.reverse();
}

const textOf = (line: UsageLine): string => `${JSON.stringify(line)}\n`;

/** A time that nobody can read is no reason to keep a line. */
const isOld = ({ used_at }: UsageLine, now: Date): boolean =>
  !(now.getTime() - Date.parse(used_at) <= KEPT_DAYS * DAY_MS);

async function* usageLines(file: string): AsyncGenerator<UsageLine> {
  try {
    for await (const text of linesOf(file, { maxBytes: MAX_LINE_BYTES, onSkipped: () => {} })) {
      const line = usageLine(text);
      if (line) yield line;
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
}

function usageLine(text: string): UsageLine | undefined {
  try {
    const line = Object(JSON.parse(text)) as Partial<UsageLine>;
    return typeof line.document === "string" && typeof line.session_id === "string" ? (line as UsageLine) : undefined;
  } catch {
    return undefined;
  }
}

async function sizeOf(file: string): Promise<number> {
  try {
    return (await stat(file)).size;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return 0;
    throw error;
  }
}
