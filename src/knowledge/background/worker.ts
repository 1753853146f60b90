/** What a worker does: every job that is due, one after the other, within a time that ends. */
import { setInterval } from "node:timers";
import type { Report } from "./activity-log.ts";
import { type Claim, type Job, type JobKind, JobStore } from "./job-store.ts";
import { messageOf } from "./private-file.ts";

/** Says in a line what was done. Throws where it is to be tried again. */
export type Runner = (job: Job, signal: AbortSignal) => Promise<string>;

export interface Work {
  readonly jobsDir: string;
  readonly runners: Readonly<Record<JobKind, Runner>>;
  readonly report: Report;
  readonly limitMs?: number;
}

/** No worker lives longer, whatever waits in the queue. */
export const WORKER_LIMIT_MS = 20 * 60_000;
const BEAT_MS = 15_000;

export async function workOffJobs({ jobsDir, runners, report, limitMs = WORKER_LIMIT_MS }: Work): Promise<number> {
  const store = new JobStore(jobsDir);
  const controller = new AbortController();
  const limit = setTimeout(() => controller.abort(new Error("the worker's time is over")), limitMs);
  const kinds = Object.keys(runners) as JobKind[];
  let count = 0;
  try {
    for (const { id, last_error } of store.recover(new Date())) {
      report({ hook: "launcher", phase: "recovered", job: id, message: `${id}: ${last_error}; it is tried again` });
    }
    while (!controller.signal.aborted) {
      const claim = store.claimNext(kinds, new Date());
      if (!claim) return count;
      count += 1;
      await workOff(claim, runners[claim.job.kind], controller.signal, report);
    }
    return count;
  } finally {
    clearTimeout(limit);
  }
}

async function workOff(claim: Claim, run: Runner, signal: AbortSignal, report: Report): Promise<void> {
  const { id, kind, tries } = claim.job;
  const beat = setInterval(() => claim.beat(), BEAT_MS);
  report({ hook: kind, phase: "started", job: id, message: `try ${tries}` });
  try {
    const message = await run(claim.job, signal);
    claim.done();
    report({ hook: kind, phase: "done", job: id, message });
  } catch (error) {
    const problem = messageOf(error);
    const again = claim.failed(problem, new Date());
    const then = again ? `tried again after ${again.toISOString()}` : `given up after ${tries} tries`;
    report({ hook: kind, phase: again ? "failed" : "given-up", job: id, message: then, error: problem });
  } finally {
    clearInterval(beat);
  }
}
