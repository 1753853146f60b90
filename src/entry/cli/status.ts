/** `holdfast status`: one run's board; without a run, the runs of this repository. */
import { unmetDependencies } from "../../runs/dependencies.ts";
import { EXIT_CODES } from "../../runs/run.ts";
import { runFor } from "../run/access.ts";
import { repositoryOf } from "../run/repository.ts";
import type { CommandCall, ExitCode } from "./command.ts";
import { follow } from "./follow.ts";
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
    const known = await runFor(runs, words[0], "read");
    const found = call.flags.follow ? await follow(runs, known.id, call) : known;
    const driver = (await runs.store.driverOf(found.id)) ?? null;
    const waitsFor = await unmetDependencies(runs, found);
    const queued = await runs.queue?.find(found.id);
    if (output.json) {
      output.data({ ...runView(found), driver, waitsFor, ...(queued ? { queue: queued } : {}) });
      return 0;
    }
    printRun(found, output);
    printRefusals(found, output);
    if (driver !== null) output.line(`  driven by ${driver}`);
    if (waitsFor.length > 0) output.line(`  waits for ${waitsFor.join(", ")}`);
    const isQueued = queued?.state === "waiting" || queued?.state === "taken";
    if (isQueued) output.line(`  in the queue: ${queued.state}${queued.reason === "" ? "" : `, ${queued.reason}`}`);
    for (const { text } of found.messages ?? []) output.line(`  its next attempt will be told: ${text}`);
    if (found.status === "running" && driver === null && !isQueued) {
      output.line(`  nobody drives it: holdfast resume ${found.id} goes on where it stopped`);
    }
    return call.flags["exit-code"] ? (EXIT_CODES[found.status] as ExitCode) : 0;
  });
