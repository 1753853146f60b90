/** `status --follow`: what changes about a run that somebody else drives, until it has ended or nobody does. One that ended and waits in the queue goes on. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Run } from "../../runs/run.ts";
import { readRun } from "../../runs/update.ts";
import type { OpenRuns } from "../run/ports.ts";
import type { CommandCall } from "./command.ts";
import { interruption } from "./interruption.ts";
import { watchRun } from "./run-board.ts";

const LOOK_EVERY_MS = 300;
/** Whoever was started to drive it takes a moment; one who died is replaced. */
const PATIENT_LOOKS = 20;

export async function follow(runs: OpenRuns, id: string, { output }: CommandCall): Promise<Run> {
  const board = watchRun(id, { store: runs.store, output, stream: process.stderr });
  const signal = interruption();
  try {
    for (let looksAlone = 0; ; ) {
      // Asked first: what nobody cares for any more is read as they left it.
      const isAlone = !(await isCaredFor(runs, id));
      const run = await readRun(runs, id);
      const isResting = run.progress === null && run.status !== "ready";
      if ((isAlone && isResting) || signal.aborted || looksAlone > PATIENT_LOOKS) return run;
      looksAlone = isAlone ? looksAlone + 1 : 0;
      await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => {});
    }
  } finally {
    await board.stop();
  }
}

async function isCaredFor({ store, queue }: OpenRuns, id: string): Promise<boolean> {
  if ((await store.driverOf(id)) !== undefined) return true;
  const entry = await queue?.find(id);
  return entry?.state === "waiting" || entry?.state === "taken";
}
