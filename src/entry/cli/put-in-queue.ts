/** `--queue`: a worker drives it, on this machine or another. */
import { HoldfastError } from "../../core/errors.ts";
import type { Run } from "../../runs/run.ts";
import type { ResumeRequest } from "../../runs/start.ts";
import { enqueue } from "../run/enqueue.ts";
import type { OpenRuns } from "../run/ports.ts";
import { type CommandCall, type ExitCode, textFlag } from "./command.ts";

export async function putInQueue(
  runs: OpenRuns,
  run: Run,
  call: CommandCall,
  resume: ResumeRequest,
): Promise<ExitCode> {
  const { output } = call;
  const notify = textFlag(call, "notify") ?? null;
  const entry = await enqueue(runs, run, { resume, priority: priorityOf(call), notify });
  if (output.json) output.data(entry);
  else {
    output.line(`run ${run.id} waits in the queue; the next worker that may drive it takes it`);
    output.line(
      `  holdfast status ${run.id} --follow shows how it goes on, holdfast queue cancel ${run.id} takes it out`,
    );
  }
  return 0;
}

function priorityOf(call: CommandCall): number {
  const text = textFlag(call, "priority") ?? "0";
  if (/^-?\d{1,6}$/.test(text)) return Number(text);
  throw new HoldfastError("HF701", `--priority ${text} is no whole number`, {
    hint: "--priority 10; higher ones first",
  });
}
