/** `holdfast run`: makes a run of an assignment and drives it to its end, or only makes it (--init). */
import { createRun, rehearseRun } from "../../runs/create.ts";
import { requireDependencies } from "../../runs/dependencies.ts";
import { reinitializeRun } from "../../runs/lifecycle.ts";
import { driveRun } from "../../runs/loop.ts";
import { isPassive } from "../../runs/passive.ts";
import type { Run } from "../../runs/run.ts";
import { readyRun } from "../../runs/start.ts";
import { runFor } from "../run/access.ts";
import { queueOf, WITHOUT_QUEUE } from "../run/enqueue.ts";
import type { OpenRuns } from "../run/ports.ts";
import { type CommandCall, type ExitCode, listFlag, textFlag } from "./command.ts";
import { detach } from "./detach.ts";
import { drive } from "./drive.ts";
import { interruption, unlessStopped } from "./interruption.ts";
import { newRunOf } from "./new-run.ts";
import { withRuns } from "./open-runs.ts";
import { putInQueue } from "./put-in-queue.ts";
import { printRun, runView } from "./run-view.ts";

export const run = (call: CommandCall): Promise<ExitCode> =>
  withRuns(
    call,
    async (runs) => {
      const isElsewhere = call.flags.queue === true || call.flags.detach === true;
      const isStarted = !call.flags.init && !isElsewhere && listFlag(call, "depend").length === 0;
      if (call.flags.queue) queueOf(runs, WITHOUT_QUEUE);
      const wanted = newRunOf(call, isStarted);
      const backend = await runs.backendOf(wanted.overrides.backend ?? wanted.agent.backend);
      const stop = interruption();
      if (call.flags["dry-run"]) return rehearse(runs, call, wanted, stop);
      const again = textFlag(call, "run");
      if (again !== undefined) {
        await runFor(runs, again, "drive");
        const anew = reinitializeRun(runs, again, wanted, stop);
        return made(await unlessStopped(`run ${again} is as it was`, stop, anew), call);
      }
      const created = await unlessStopped("no run was made", stop, createRun(runs, wanted, stop));
      if (created.callerInstructions !== null) call.output.note(created.callerInstructions);
      if (call.flags.queue && !isPassive(created)) return putInQueue(runs, created, call, {});
      if (call.flags.detach && !isPassive(created)) {
        await requireDependencies(runs, created);
        return detach(runs, await readyRun(runs, created.id), call, ["resume", created.id]);
      }
      if (!isStarted || backend.isPassive || isPassive(created)) return made(created, call);
      await requireDependencies(runs, created);
      return drive(runs, created.id, call, (options) => driveRun(runs, created.id, options), stop);
    },
    call.flags["dry-run"] ? { isRehearsal: true } : {},
  );

function made(run: Run, { output }: CommandCall): ExitCode {
  if (output.json) output.data(runView(run));
  else {
    printRun(run, output);
    if (!isPassive(run)) output.line(`  holdfast ready ${run.id}, then holdfast resume ${run.id}, starts it`);
    else output.line(`  holdfast task set <task> --status completed --run ${run.id} as they get done`);
  }
  return 0;
}

/** No hook is asked: what it does outside the run, a dry run could not take back. */
async function rehearse(
  runs: OpenRuns,
  call: CommandCall,
  wanted: Parameters<typeof rehearseRun>[1],
  stop: AbortSignal,
) {
  const { output } = call;
  const { run, outcome } = await unlessStopped("nothing is to be seen", stop, rehearseRun(runs, wanted, stop));
  if (output.json) output.data({ run: runView(run), audits: outcome.audits });
  else {
    const isAsked = outcome.audits.length > 0;
    output.line(`this would be frozen${isAsked ? ", before prepare hooks change it" : ""}; nothing was done or stored`);
    printRun(run, output);
    output.line(`  cwd  ${run.settings.cwd}`);
    for (const { id, phase, when } of run.hooks)
      output.line(`  hook  ${phase}  ${id}  ${when ? JSON.stringify(when) : ""}`);
    for (const { hook, summary } of outcome.audits) output.line(`  prepare  ${hook}  ${summary}`);
    output.line(`\n${run.brief}`);
  }
  return 0 as ExitCode;
}
