/** A run that was taken from the queue: begun, or gone on with where the worker before stopped. */
import { type DriveOptions, driveRun, type RunEnd } from "./loop.ts";
import type { RunPorts } from "./ports.ts";
import type { QueueEnd, QueueRequest, TakenRun } from "./queue.ts";
import { EXIT_CODES, type Run } from "./run.ts";
import { asksForMore, resumeRun, startRun } from "./start.ts";
import { readRun } from "./update.ts";

export async function takeUp(ports: RunPorts, taken: TakenRun, options: Omit<DriveOptions, "lease">): Promise<RunEnd> {
  const { entry, lease } = taken;
  const id = entry.run;
  const driving = { ...options, lease, ...(entry.key === undefined ? {} : { request: entry.key }) };
  const run = await readRun(ports, id);
  if (hasBegun(run, entry)) return run.progress ? driveRun(ports, id, driving) : endOf(run);
  if (run.status === "initialized" || run.status === "ready") return startRun(ports, id, driving);
  return resumeRun(ports, id, entry.resume, driving);
}

/**
 * What an entry says is said in a session that carries its key: a session of somebody else's does not stand for it. One that
 * only wants the run to go on is done with whoever has gone on with it.
 */
export function hasBegun({ sessions }: Run, { key, sessions: before, resume }: QueueRequest): boolean {
  const isFollowed = sessions.length > before;
  if (key === undefined) return isFollowed;
  return sessions.some(({ request }) => request === key) || (isFollowed && !asksForMore(resume));
}

/** Its worker died after the run had ended, and before anybody was told. */
const endOf = (run: Run): RunEnd => ({ run, exitCode: EXIT_CODES[run.status], reason: run.statusReason });

export function queueEndOf({ run, reason }: RunEnd, isCancelled: boolean): QueueEnd {
  const text = `the run is ${run.status}${reason === "" ? "" : `: ${reason}`}`;
  return { state: isCancelled && run.status === "aborted" ? "cancelled" : "done", reason: text };
}
