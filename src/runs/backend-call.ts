/** The backend, asked once per attempt: what came of it is on disk before anybody looks at it. */
import { rmSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { HoldfastError } from "../core/errors.ts";
import { makeDirectory } from "../files/make-directory.ts";
import { endWithUs, type Tether } from "../process/end-with-us.ts";
import { marked } from "../process/kill-tree.ts";
import type { AttemptResult, Invocation } from "./backend.ts";
import { environmentOf } from "./children.ts";
import { markOfAttempt, outputFileOf } from "./files/attempt-file.ts";
import { identityOf } from "./files/process-identity.ts";
import { type Driving, requireOurs } from "./loop.ts";
import { withoutReferences } from "./rendering.ts";
import type { AttemptRecord, Run } from "./run.ts";
import type { AttemptState } from "./store.ts";
import { updateRun } from "./update.ts";

interface BackendProblem {
  readonly problem: string;
}

export async function backendResult(
  driving: Driving,
  run: Run,
  record: AttemptRecord,
  prompt: string,
): Promise<AttemptResult | BackendProblem> {
  const { ports, id } = driving;
  const known = await ports.store.readAttempt(id, record.number);
  // Of an attempt that was never begun: left here by one that a reset undid, on another machine perhaps.
  if (!known) rmSync(outputFileOf(ports.store.directoryOf(id), record.number), { force: true });
  const isOfThisAttempt = known?.prompt === prompt;
  if (isOfThisAttempt && known.result) return known.result;
  return invoke(driving, run, { number: record.number, prompt, process: null, result: null });
}

/** What the store cannot do is no problem of the backend: it is thrown, and whoever goes on begins the attempt again. */
async function invoke(driving: Driving, run: Run, begun: AttemptState): Promise<AttemptResult | BackendProblem> {
  const { ports, id, lease, signal, handBack, onProgress } = driving;
  const { store } = ports;
  const problem = (error: Error) => ({
    problem: `the backend ${run.settings.backend} cannot be used: ${error.message}`,
  });
  const backend = await ports.backendOf(run.settings.backend).catch(problem);
  if ("problem" in backend) return backend;
  // One after another: the newest state of the attempt is the one that stays.
  let written = Promise.resolve();
  let state = begun;
  const write = (change: Partial<AttemptState>) => {
    state = { ...state, ...change };
    const next = state;
    // What could not be written before is part of what is written now.
    written = written.catch(() => {}).then(() => store.writeAttempt(id, next, lease.token));
    return written;
  };
  let session = run.backendSession;
  const noted: Promise<unknown>[] = [];
  const note = (work: Promise<unknown>) => {
    // Which process and which session it was stands in the result too: only that must be written.
    work.catch(() => {});
    noted.push(work);
  };
  const outputFile = outputFileOf(store.directoryOf(id), begun.number);
  makeDirectory(dirname(outputFile), 0o700);
  const tethers: Tether[] = [];
  const invocation: Invocation = {
    prompt: withoutReferences(begun.prompt, ports.env),
    settings: run.settings,
    session,
    env: marked({ ...ports.env, ...environmentOf(run, ports.env) }, markOfAttempt(id, begun.number)),
    outputFile,
    signal: AbortSignal.any([signal, handBack]),
    timeoutMs: run.settings.timeoutSec * 1000,
    onProgress,
    onProcess(pid) {
      tethers.push(endWithUs(pid));
      note(write({ process: identityOf(pid) }));
    },
    onSession(found) {
      if (found === session) return;
      session = found;
      note(
        updateRun(ports, id, (current) => ({
          next: { ...current, backendSession: found },
          change: { lease: lease.token },
        })),
      );
    },
  };
  // A backend may also throw before it has promised anything.
  const result = await (async () => backend.invoke(invocation))()
    .catch(problem)
    .finally(() => {
      for (const tether of tethers) tether.release();
    });
  await Promise.allSettled(noted);
  if ("problem" in result) return result;
  // What was stopped because it is somebody else's now says nothing about the attempt.
  if (result.isAborted) requireOurs(driving);
  await kept(driving, () => write({ process: null, result }));
  return result;
}

/** A store that fails for a moment costs a moment, not a whole attempt. */
const PAUSES_MS = [100, 500, 1_000, 3_000];

async function kept(driving: Driving, write: () => Promise<void>): Promise<void> {
  const isNotOurs = AbortSignal.any([driving.lease.lost, driving.handBack]);
  for (const pause of PAUSES_MS) {
    try {
      return await write();
    } catch (error) {
      if (error instanceof HoldfastError && ["HF1021", "HF1024"].includes(error.code)) throw error;
      await sleep(pause, undefined, { signal: isNotOurs }).catch(() => {});
      if (isNotOurs.aborted) throw error;
    }
  }
  return write();
}
