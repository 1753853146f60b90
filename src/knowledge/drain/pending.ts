/** Which logs wait for proposals, and what making them would take. */
import { createHash } from "node:crypto";
import { statSync } from "node:fs";
import { isDue } from "../background/retry.ts";
import { readSessionLog, type SessionLog, sessionLogFiles } from "../capture/session-log.ts";
import type { KnowledgePlaces } from "../places.ts";
import type { DrainSettings } from "../settings.ts";
import { type DrainState, readDrainState } from "./drain-state.ts";

/** Whoever heard the session may hear it again; nobody else, unless a person names them. */
export const hostFor = ({ front }: SessionLog, { host }: DrainSettings): string => host ?? front.host;

export interface PendingLogs {
  readonly due: readonly SessionLog[];
  /** They failed, and wait for their next try. */
  readonly later: readonly SessionLog[];
  /** Files that are no logs, and why. */
  readonly unreadable: readonly { readonly file: string; readonly problem: string }[];
}

export async function pendingLogs(places: KnowledgePlaces, state: DrainState, now: Date): Promise<PendingLogs> {
  const due: SessionLog[] = [];
  const later: SessionLog[] = [];
  const unreadable: { file: string; problem: string }[] = [];
  for (const file of sessionLogFiles(places)) {
    const read = await readSessionLog(file);
    if ("problem" in read) unreadable.push({ file, problem: read.problem });
    else if (read.log.front.proposal_status === "pending")
      (isLogDue(read.log, state, now) ? due : later).push(read.log);
  }
  return { due, later, unreadable };
}

function isLogDue({ front }: SessionLog, { failures }: DrainState, now: Date): boolean {
  const failure = failures[front.session_id];
  return failure?.transcript_hash !== front.transcript_hash || isDue(failure.not_before, now);
}

/** Whether a drain would find something, without reading a log: some wait still, or one has changed since. */
export function mayHavePending(places: KnowledgePlaces, now: Date): boolean {
  const { waiting, seen } = readDrainState(places, now);
  return sessionLogFiles(places).length > 0 && (waiting > 0 || seen !== logsAsSeen(places));
}

export function logsAsSeen(places: KnowledgePlaces): string {
  const hash = createHash("sha256");
  for (const file of sessionLogFiles(places)) {
    const found = statSync(file, { throwIfNoEntry: false, bigint: true });
    hash.update(`${file}\0${found?.mtimeNs}\0${found?.size}\n`);
  }
  return hash.digest("hex");
}
