/**
 * Starts work that no host waits for. The hook's process writes the job and starts a worker in a session of its own,
 * with nothing of the host's: no pipe, no group, no terminal. Whoever ends the host ends no worker.
 */
import { spawn } from "node:child_process";
import type { JsonObject } from "../../core/json.ts";
import type { Report } from "./activity-log.ts";
import { type JobKind, JobStore } from "./job-store.ts";
import { messageOf } from "./private-file.ts";
import { isDue } from "./retry.ts";

/** Marks every process that Holdfast starts for itself: hooks that see it say nothing, and start nothing. */
export const GUARD = { name: "HOLDFAST_INTERNAL", value: "1" } as const;

export interface Launch {
  readonly kind: JobKind;
  readonly payload: JsonObject;
  readonly jobsDir: string;
  /** The project: where the worker stands. */
  readonly rootDir: string;
  /** The worker's program, as words; the directory of jobs is its last argument. */
  readonly worker: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly now: Date;
  readonly report: Report;
}

export type Launched =
  | { readonly kind: "launched"; readonly job: string; readonly pid: number }
  /** One of the kind is at work, or waits for its next try. */
  | { readonly kind: "not-needed"; readonly why: string }
  /** The job stays, and the next launch takes it. */
  | { readonly kind: "no-process"; readonly job: string; readonly problem: string };

export function launchInBackground(launch: Launch): Launched {
  const { kind, payload, jobsDir, now, report } = launch;
  const store = new JobStore(jobsDir);
  for (const { id, last_error } of store.recover(now)) {
    report({ hook: "launcher", phase: "recovered", job: id, message: `${id}: ${last_error}; it is tried again` });
  }
  const others = store.list().filter(({ state, job }) => job.kind === kind && state !== "dead");
  if (others.some(({ state }) => state === "running")) return { kind: "not-needed", why: `a ${kind} is at work` };
  const waiting = others[0]?.job;
  if (waiting && !isDue(waiting.not_before, now)) {
    return { kind: "not-needed", why: `the last ${kind} failed and is tried again after ${waiting.not_before}` };
  }
  const job = waiting ?? store.add(kind, payload, now);
  const started = startWorker(launch);
  if (typeof started === "number") {
    report({ hook: "launcher", phase: "launched", job: job.id, message: `process ${started} works on ${job.id}` });
    return { kind: "launched", job: job.id, pid: started };
  }
  report({ hook: "launcher", phase: "failed", job: job.id, message: "no process could be started", error: started });
  return { kind: "no-process", job: job.id, problem: started };
}

/** What tells a call of ours from another is not the worker's. */
const NOT_PASSED_ON = /^HOLDFAST_(FALLBACK|CALL_.*|HOOK_RUN)$/;

function startWorker({ worker, jobsDir, rootDir, env }: Launch): number | string {
  const [program = "", ...args] = worker;
  const passedOn = Object.entries(env).filter(([name]) => !NOT_PASSED_ON.test(name));
  try {
    const child = spawn(program, [...args, jobsDir], {
      cwd: rootDir,
      env: { ...Object.fromEntries(passedOn), [GUARD.name]: GUARD.value },
      detached: true,
      stdio: "ignore",
      windowsHide: true,
    });
    // Told below, by the missing process id.
    child.on("error", () => {});
    child.unref();
    return child.pid ?? `${program} cannot be started in ${rootDir}`;
  } catch (error) {
    return messageOf(error);
  }
}
