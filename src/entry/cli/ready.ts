/** `holdfast ready`: somebody has looked at a run; nothing but notes changes until it starts. */
import { readyRun } from "../../runs/start.ts";
import { runFor } from "../run/access.ts";
import type { CommandCall, ExitCode } from "./command.ts";
import { withRuns } from "./open-runs.ts";
import { printRun, runView } from "./run-view.ts";

export const run = (call: CommandCall): Promise<ExitCode> =>
  withRuns(call, async (runs) => {
    const { id, status } = await runFor(runs, call.words[0], "drive");
    if (call.flags["dry-run"]) {
      call.output.line(status === "initialized" ? `run ${id} would be ready` : `run ${id} is ${status}`);
      return 0;
    }
    const ready = await readyRun(runs, id);
    if (call.output.json) call.output.data(runView(ready));
    else {
      printRun(ready, call.output);
      call.output.line(`  holdfast resume ${id} starts it`);
    }
    return 0;
  });
