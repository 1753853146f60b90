/** Puts a run in the queue instead of driving it here. */
import { randomUUID } from "node:crypto";
import { HoldfastError } from "../../core/errors.ts";
import type { QueueEntry, RunQueue } from "../../runs/queue.ts";
import type { Run } from "../../runs/run.ts";
import { type ResumeRequest, readyRun, requireResumable } from "../../runs/start.ts";
import type { OpenRuns } from "./ports.ts";

export interface Enqueuing {
  readonly resume: ResumeRequest;
  readonly priority: number;
  readonly notify: string | null;
}

export async function enqueue(runs: OpenRuns, run: Run, wanted: Enqueuing): Promise<QueueEntry> {
  const queue = queueOf(runs, WITHOUT_QUEUE);
  const known = await queue.find(run.id);
  if (known?.state === "waiting" || known?.state === "taken")
    throw new HoldfastError("HF1063", `run ${run.id} is in the queue already, ${known.state}`);
  if (run.status === "initialized" || run.status === "ready") await readyRun(runs, run.id);
  else requireResumable(run, wanted.resume);
  const place = { run: run.id, backend: run.settings.backend };
  return queue.add(place, { ...wanted, key: randomUUID(), sessions: run.sessions.length });
}

/** For who asked for the queue with a flag. */
export const WITHOUT_QUEUE = " Or leave out --queue: it is driven here.";

export function queueOf({ queue }: Pick<OpenRuns, "queue">, orElse = ""): RunQueue {
  if (queue) return queue;
  const { code, message, fix } = new HoldfastError("HF1062", "runs are files of this machine, not in a database");
  throw new HoldfastError(code, message, { hint: `${fix}${orElse}` });
}

/** Driving it here too would be twice. */
export async function requireNotQueued({ queue }: OpenRuns, run: string): Promise<void> {
  const known = await queue?.find(run);
  if (known?.state !== "waiting" && known?.state !== "taken") return;
  throw new HoldfastError("HF1063", `run ${run} is in the queue, ${known.state}: a worker drives it`);
}
