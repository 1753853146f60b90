/** `holdfast status`: one run's board; without a run, the runs of this repository. */
import { unmetDependencies } from "../../runs/dependencies.ts";
import { EXIT_CODES } from "../../runs/run.ts";
import { runFor } from "../run/access.ts";
import { repositoryOf } from "../run/repository.ts";
import type { CommandCall, ExitCode } from "./command.ts";
import { withRuns } from "./open-runs.ts";
import { printRefusals, printRun, runView, summaryRows } from "./run-view.ts";

export const run = (call: CommandCall): Promise<ExitCode> =>
  withRuns(call, async (runs) => {
    const { output, words, env, cwd } = call;
    if (words.length === 0 && !env.HOLDFAST_RUN_ID) {
      const found = await runs.store.list({ repo: repositoryOf(cwd) });
      if (output.json) output.data(found);
      else if (found.length === 0) output.line("no runs here yet: holdfast run <assignment> starts one");
      else for (const line of summaryRows(found, output)) output.line(line);
      return 0;
    }
    const found = await runFor(runs, words[0], "read");
    const driver = (await runs.store.driverOf(found.id)) ?? null;
    const waitsFor = await unmetDependencies(runs, found);
    if (output.json) {
      output.data({ ...runView(found), driver, waitsFor });
      return 0;
    }
    printRun(found, output);
    printRefusals(found, output);
    if (driver !== null) output.line(`  driven by ${driver}`);
    if (waitsFor.length > 0) output.line(`  waits for ${waitsFor.join(", ")}`);
    if (found.status === "running" && driver === null) {
      output.line(`  nobody drives it: holdfast resume ${found.id} goes on where it stopped`);
    }
    return call.flags["exit-code"] ? (EXIT_CODES[found.status] as ExitCode) : 0;
  });
