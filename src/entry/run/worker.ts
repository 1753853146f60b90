/** Takes runs from the queue and drives them, several at a time, until it is told to stop. */
import { hostname } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { HoldfastError } from "../../core/errors.ts";
import { unmetDependencies } from "../../runs/dependencies.ts";
import type { RunEnd } from "../../runs/loop.ts";
import type { RunQueue, TakenRun } from "../../runs/queue.ts";
import { queueEndOf, takeUp } from "../../runs/take-up.ts";
import { readRun } from "../../runs/update.ts";
import { type AwaitedRuns, awaitedRuns } from "./awaited-runs.ts";
import type { OpenRuns } from "./ports.ts";
import { tellParent } from "./tell-parent.ts";
import { reasonNotHere } from "./worker-permission.ts";

export interface WorkerOptions {
  readonly concurrency: number;
  /** Stops as soon as nothing is left that it could take. */
  readonly isUntilEmpty: boolean;
  /** Aborted: nothing more is taken, and what goes on may end. */
  readonly stop: AbortSignal;
  /** Aborted: what goes on is handed back. */
  readonly handBack: AbortSignal;
  onNews(news: WorkerNews): void;
}

export interface WorkerNews {
  readonly kind: "took" | "ended" | "failed" | "handed-back" | "lost" | "said" | "problem";
  readonly run: string | null;
  readonly text: string;
}

const LOOK_EVERY_MS = 500;
/** The database or the machine may be in trouble: a run that cannot be driven here is not tried without a pause. */
const NOT_HERE_MS = 30_000;
const DEPENDENCY_MS = 3_000;
const FIRST_PAUSE_MS = 1_000;

export const workerName = (): string => `${hostname()}:${process.pid}`;

export async function work(runs: OpenRuns, queue: RunQueue, options: WorkerOptions): Promise<void> {
  const { concurrency, stop, onNews } = options;
  const name = workerName();
  const notHere = new Map<string, number>();
  const awaited = awaitedRuns(runs, queue, notHere);
  const going = new Map<string, { readonly done: Promise<void>; readonly cancel: AbortController }>();
  while (!stop.aborted) {
    await obeyCancels();
    const taken = going.size < concurrency ? await takeNext() : null;
    if (taken) begin(taken);
    else if (options.isUntilEmpty && going.size === 0 && taken === null && !(await awaited.any())) return;
    else await Promise.race([sleep(LOOK_EVERY_MS, undefined, { signal: stop }).catch(() => {}), anyDone()]);
  }
  while (going.size > 0) {
    await obeyCancels();
    await Promise.race([sleep(LOOK_EVERY_MS), anyDone()]);
  }

  /** Null: there is none; undefined: nobody knows. */
  async function takeNext(): Promise<TakenRun | null | undefined> {
    for (const [run, until] of notHere) if (until < performance.now()) notHere.delete(run);
    const { repositories, backends } = runs.worker;
    try {
      const except = [...notHere.keys(), ...going.keys()];
      return (await queue.take({ name, repositories, backends, except })) ?? null;
    } catch (error) {
      onNews({ kind: "problem", run: null, text: (error as Error).message });
      return undefined;
    }
  }

  function begin(taken: TakenRun): void {
    const { run } = taken.entry;
    const cancel = new AbortController();
    awaited.begin(run);
    const done = driveTaken({ runs, queue, taken, options, cancel, notHere, awaited })
      .catch((error) => onNews({ kind: "problem", run, text: (error as Error).message }))
      .finally(() => going.delete(run));
    going.set(run, { done, cancel });
  }

  async function obeyCancels(): Promise<void> {
    if (going.size === 0) return;
    const stopped = await queue.cancelled([...going.keys()]).catch(() => []);
    for (const run of stopped) going.get(run)?.cancel.abort(new Error("cancelled"));
  }

  function anyDone(): Promise<unknown> {
    return going.size === 0 ? new Promise(() => {}) : Promise.race([...going.values()].map(({ done }) => done));
  }
}

interface Drive {
  readonly runs: OpenRuns;
  readonly queue: RunQueue;
  readonly taken: TakenRun;
  readonly options: WorkerOptions;
  readonly cancel: AbortController;
  readonly notHere: Map<string, number>;
  readonly awaited: AwaitedRuns;
}

async function driveTaken(drive: Drive): Promise<void> {
  const { runs, queue, taken, cancel, notHere, awaited } = drive;
  const { handBack, onNews } = drive.options;
  const { run: id, isCancelled } = taken.entry;
  const tell = (kind: WorkerNews["kind"], text: string) => onNews({ kind, run: id, text });
  if (isCancelled) cancel.abort(new Error("cancelled"));
  try {
    const run = await readRun(runs, id);
    const problem = await reasonNotHere(runs, run);
    if (problem !== undefined) {
      notHere.set(id, performance.now() + NOT_HERE_MS);
      await queue.handBack(taken, `${workerName()}: ${problem}`, 0);
      return tell("handed-back", problem);
    }
    const unmet = run.progress ? [] : await unmetDependencies(runs, run);
    if (unmet.length > 0) {
      await awaited.note(run);
      return await queue.handBack(taken, `waits: ${unmet.join(", ")}`, DEPENDENCY_MS);
    }
    tell("took", `${run.repo}  ${run.settings.backend}  ${run.name ?? run.assignment?.name ?? ""}`);
    const end = await takeUp(runs, taken, {
      signal: cancel.signal,
      handBack,
      onProgress: (line) => tell("said", line),
    });
    await conclude(runs, queue, taken, end, cancel.signal.aborted);
    tell("ended", `${end.run.status}${end.reason === "" ? "" : `: ${end.reason}`}`);
  } catch (error) {
    const text = (error as Error).message;
    if (taken.lease.lost.aborted) return tell("lost", text);
    if (handBack.aborted) {
      await queue.handBack(taken, "its worker was stopped", 0);
      return tell("handed-back", "this worker stops");
    }
    if (!(error instanceof HoldfastError) || error.code === "HF1066") return setAside(drive, text, tell);
    await queue.finish(taken, { state: "failed", reason: `${error.code}: ${text}` });
    tell("failed", `${error.code}: ${text}`);
  }
}

/** Nothing is known to be wrong with the run: whoever comes next goes on with it, and not at once. */
async function setAside(
  { queue, taken, notHere }: Drive,
  problem: string,
  tell: (kind: WorkerNews["kind"], text: string) => void,
): Promise<void> {
  const { run, takes } = taken.entry;
  notHere.set(run, performance.now() + NOT_HERE_MS);
  tell("problem", problem);
  const pauseMs = Math.min(NOT_HERE_MS, FIRST_PAUSE_MS * 2 ** Math.min(takes, 10));
  try {
    await queue.handBack(taken, `${workerName()}: ${problem}`, pauseMs);
    tell("handed-back", "another try comes later");
  } catch (error) {
    // The database does not answer: the lease runs out by itself.
    await taken.lease.release().catch(() => {});
    tell("problem", (error as Error).message);
  }
}

async function conclude(runs: OpenRuns, queue: RunQueue, taken: TakenRun, end: RunEnd, isCancelled: boolean) {
  const { notify } = taken.entry;
  const untold = await tellParent(runs, end.run);
  const problem = notify === null ? undefined : await runs.tellPeople(end.run, notify);
  const over = queueEndOf(end, isCancelled);
  await queue.finish(taken, { ...over, reason: [over.reason, untold, problem].filter(Boolean).join("; ") });
}
