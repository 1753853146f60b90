/** What each session log has for a person, asked at every session start: logs are kept for good, so only changed ones are read. */
import { statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { isJsonObject, type Json } from "../../core/json.ts";
import { ownFolder, readIfThere, writePrivately } from "../background/private-file.ts";
import { openProposals, readSessionLog, sessionLogFiles } from "../capture/session-log.ts";
import type { KnowledgePlaces } from "../places.ts";

export interface Tally {
  readonly status: string;
  /** Origins of the proposals that the log has for a person: some may be decided, with the log not yet told. */
  readonly open: readonly string[];
  readonly at: string;
}

interface KeptTally extends Tally {
  readonly stamp: string;
}

const keptFile = ({ stateDir }: KnowledgePlaces) => join(stateDir, "sessions-seen.json");

/** Of every log that can be read. */
export async function sessionTallies(places: KnowledgePlaces): Promise<readonly Tally[]> {
  const before = readKept(places);
  const now = new Map<string, KeptTally>();
  let isChanged = false;
  for (const file of sessionLogFiles(places)) {
    const stamp = stampOf(file);
    const kept = before.get(basename(file));
    const tally = kept && kept.stamp === stamp ? kept : await tallyOf(file, stamp);
    isChanged ||= tally !== kept;
    if (tally) now.set(basename(file), tally);
  }
  if (isChanged || now.size < before.size) keep(places, now);
  return [...now.values()];
}

function stampOf(file: string): string {
  const found = statSync(file, { throwIfNoEntry: false, bigint: true });
  return found ? `${found.ino} ${found.size} ${found.mtimeNs}` : "";
}

async function tallyOf(file: string, stamp: string): Promise<KeptTally | undefined> {
  // One that cannot be read is told of by whoever works with it.
  const read = await readSessionLog(file).catch(() => undefined);
  if (!read || "problem" in read) return undefined;
  const { front } = read.log;
  const { proposal_status: status, captured_at: at, session_id: session } = front;
  const open = status === "done" ? openProposals(front) : [];
  return { stamp, status, at, open: open.map(({ kind, index }) => `${session}:${kind}:${index}`) };
}

function readKept(places: KnowledgePlaces): ReadonlyMap<string, KeptTally> {
  try {
    const value = JSON.parse(readIfThere(keptFile(places)) ?? "null") as Json;
    const logs = isJsonObject(value) && isJsonObject(value.logs) ? value.logs : {};
    return new Map(Object.entries(logs).filter(([, tally]) => isTally(tally)) as unknown as [string, KeptTally][]);
  } catch {
    return new Map();
  }
}

const isTally = (value: Json): boolean =>
  isJsonObject(value) &&
  [value.stamp, value.status, value.at].every((text) => typeof text === "string") &&
  Array.isArray(value.open) &&
  value.open.every((origin) => typeof origin === "string");

function keep(places: KnowledgePlaces, tallies: ReadonlyMap<string, KeptTally>): void {
  const file = keptFile(places);
  try {
    ownFolder(dirname(file));
    writePrivately(file, `${JSON.stringify({ schema_version: 1, logs: Object.fromEntries(tallies) })}\n`);
  } catch {
    // Then all are read the next time, too.
  }
}
