/**
 * Drives a run: attempt after attempt until its tasks are done, one is blocked, or no attempt is left. Where it is stands
 * in the run itself (`progress`), and every step ends in one stored change. So a process that takes over, after a kill at
 * any moment, goes on with the step the dead one was in.
 */
import { HoldfastError } from "../core/errors.ts";
import { attempt, beginAttempt } from "./attempt.ts";
import { editTask } from "./edit-task.ts";
import { endOrphan } from "./files/attempt-file.ts";
import { clashes } from "./merge.ts";
import { changeByPhase } from "./phase-change.ts";
import type { RunPorts } from "./ports.ts";
import { EXIT_CODES, type Run, type RunProgress } from "./run.ts";
import type { Lease } from "./store.ts";
import { readRun, updateRun } from "./update.ts";

export interface DriveOptions {
  /** Aborted: the run ends as aborted. */
  readonly signal?: AbortSignal;
  readonly onProgress?: (line: string) => void;
  /** The key of the queue's entry that asks for it. */
  readonly request?: string;
  /** Of whoever holds it already; absent: it is taken, and released again. */
  readonly lease?: Lease;
  /** Aborted: somebody else is to go on where this process is; nothing of what the backend did meanwhile is taken. */
  readonly handBack?: AbortSignal;
}

export interface RunEnd {
  readonly run: Run;
  readonly exitCode: number;
  /** Why it did not end in success; empty otherwise. */
  readonly reason: string;
}

/** What a step needs besides the run. */
export interface Driving {
  readonly ports: RunPorts;
  readonly id: string;
  readonly lease: Lease;
  readonly signal: AbortSignal;
  readonly handBack: AbortSignal;
  readonly onProgress: (line: string) => void;
}

export const driveRun = (ports: RunPorts, id: string, options: DriveOptions = {}): Promise<RunEnd> =>
  leased(ports, id, (lease) => driveLeased(ports, id, lease, options), options.lease);

export async function leased<T>(
  ports: RunPorts,
  id: string,
  work: (lease: Lease) => Promise<T>,
  held?: Lease,
): Promise<T> {
  if (held) return work(held);
  const lease = await leaseOf(ports, id);
  try {
    return await work(lease);
  } finally {
    await lease.release();
  }
}

async function leaseOf(ports: RunPorts, id: string): Promise<Lease> {
  const lease = await ports.store.lease(id);
  if ("heldBy" in lease) throw new HoldfastError("HF1024", `run ${id} is driven by ${lease.heldBy}`);
  return lease;
}

export async function driveLeased(ports: RunPorts, id: string, lease: Lease, options: DriveOptions): Promise<RunEnd> {
  const signal = AbortSignal.any([lease.lost, lease.stopped, ...(options.signal ? [options.signal] : [])]);
  const { handBack = new AbortController().signal, onProgress = () => {} } = options;
  const driving: Driving = { ports, id, lease, signal, handBack, onProgress };
  let run = await readRun(ports, id);
  await endLeftAgent(ports, run);
  while (run.progress) {
    requireOurs(driving);
    run = await step(driving, run, run.progress);
  }
  return { run, exitCode: EXIT_CODES[run.status], reason: run.statusReason };
}

/** A driver that died may have left its agent running. Under the lease only. */
export async function endLeftAgent({ store }: RunPorts, { id, attempts, progress }: Run): Promise<void> {
  const last = attempts.at(-1);
  if (progress && last) await endOrphan(id, last.number, await store.readAttempt(id, last.number));
}

export function requireOurs({ id, lease, handBack }: Driving): void {
  if (lease.lost.aborted) throw new HoldfastError("HF1024", `another process has taken over run ${id}`);
  if (handBack.aborted) throw new HoldfastError("HF1024", `run ${id} was handed back`);
}

function step(driving: Driving, run: Run, progress: RunProgress): Promise<Run> {
  switch (progress.step) {
    case "before-attempt":
      return beginAttempt(driving, run, progress.prompt);
    case "attempt":
      return attempt(driving, run, progress.prompt);
    case "ending":
      return endSession(driving, progress);
    case "after-exit":
      return afterExit(driving, run);
  }
}

async function endSession(driving: Driving, ending: Extract<RunProgress, { step: "ending" }>): Promise<Run> {
  const { ports, id, lease } = driving;
  for (const task of (await readRun(ports, id)).tasks.filter(({ status }) => status === "in_progress")) {
    await putBack(driving, task.id);
  }
  return updateRun(ports, id, (run) => {
    const at = ports.now().toISOString();
    const { status, reason } = ending;
    return {
      next: {
        ...run,
        status,
        statusReason: reason,
        endedAt: at,
        sessions: run.sessions.map((session) => ({ ...session, endedAt: session.endedAt ?? at })),
        progress: { step: "after-exit" },
      },
      change: {
        events: [{ type: "run.finished", source: "system", data: { status, reason, exitCode: EXIT_CODES[status] } }],
        lease: lease.token,
      },
    };
  });
}

/** Nobody works on it any more. A hook that refuses is on record; the run ends all the same. */
async function putBack({ ports, id, lease }: Driving, task: string): Promise<void> {
  try {
    await editTask(ports, id, { kind: "set", task, status: "pending" }, { byLoop: { lease: lease.token } });
  } catch (error) {
    if (!(error instanceof HoldfastError) || !["HF1025", "HF1034", "HF1035"].includes(error.code)) throw error;
  }
}

/** Its verdict and its errors change nothing about how the run ended. */
async function afterExit({ ports, id, lease }: Driving, run: Run): Promise<Run> {
  const last = run.attempts.at(-1);
  const told = last && (await ports.store.readAttempt(id, last.number));
  const { run: after } = await changeByPhase(ports, {
    id,
    momentOf: (current) => ({
      phase: "afterExit",
      prompt: told?.prompt ?? current.brief,
      sessionIndex: Math.max(0, current.sessions.length - 1),
      attemptIndex: last?.indexInSession ?? 0,
      attempt: null,
      retriesRemaining: 0,
    }),
    mustAskAgain: clashes,
    conclude: (merged) => ({ next: { ...merged, progress: null } }),
    lease: lease.token,
    env: { HOLDFAST_RUN_ID: id },
    // A person who stopped the run still wants it put away properly.
    signal: lease.lost,
  });
  return after;
}
