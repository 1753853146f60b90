/** Drives a run in front of a person: the board while it runs, then how it ended, why, and what can be done next. */
import { join } from "node:path";
import type { DriveOptions, RunEnd } from "../../runs/loop.ts";
import type { Run } from "../../runs/run.ts";
import type { OpenRuns } from "../run/ports.ts";
import { tellParent } from "../run/tell-parent.ts";
import { type CommandCall, type ExitCode, textFlag } from "./command.ts";
import { interruption } from "./interruption.ts";
import { watchRun } from "./run-board.ts";
import { printRefusals, printRun, runView } from "./run-view.ts";

export async function drive(
  runs: OpenRuns,
  id: string,
  call: CommandCall,
  begin: (options: DriveOptions) => Promise<RunEnd>,
  signal: AbortSignal = interruption(),
): Promise<ExitCode> {
  const { output } = call;
  const board = watchRun(id, { store: runs.store, output, stream: process.stderr });
  const { run, exitCode } = await begin({ signal, onProgress: board.progress }).finally(() => board.stop());
  if (output.json) output.data(runView(run));
  else {
    printRun(run, output);
    printRefusals(run, output);
    for (const line of nextSteps(run, runs.store.directoryOf(id))) output.line(`  ${line}`);
  }
  // Whoever waits for it sees how it ended; whoever does not is told.
  const untold = call.env.HOLDFAST_DETACHED ? await tellParent(runs, run) : undefined;
  const channel = textFlag(call, "notify");
  const problem = channel === undefined ? undefined : await runs.tellPeople(run, channel);
  for (const remark of [untold, problem]) if (remark !== undefined) output.note(remark);
  return exitCode as ExitCode;
}

/** What a person can do about it. */
function nextSteps({ id, status, attempts }: Run, directory: string): string[] {
  const last = attempts.at(-1);
  const output = last ? [`output  ${join(directory, "attempts")}`] : [];
  switch (status) {
    case "blocked":
      return [`holdfast resume ${id} --message "…" goes on, once what blocks it is settled`];
    case "exhausted":
    case "aborted":
      return [`holdfast resume ${id} goes on with what is left`, ...output];
    case "error":
      return [`holdfast audit ${id} tells what happened`, ...output];
    default:
      return [];
  }
}
