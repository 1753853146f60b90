/** `holdfast resume`: starts a run that waits, or goes on with one that ended or whose driver died. */

import { HoldfastError } from "../../core/errors.ts";
import { requireStartable, resumeRun, startRun } from "../../runs/start.ts";
import { runFor } from "../run/access.ts";
import { requireNotQueued } from "../run/enqueue.ts";
import { requireOwnHere } from "../run/frozen-trust.ts";
import { type CommandCall, type ExitCode, listFlag, textFlag } from "./command.ts";
import { detach, withoutDetach } from "./detach.ts";
import { drive } from "./drive.ts";
import { settingOverrides } from "./new-run.ts";
import { withRuns } from "./open-runs.ts";
import { putInQueue } from "./put-in-queue.ts";

export const run = (call: CommandCall): Promise<ExitCode> =>
  withRuns(call, async (runs) => {
    const found = await runFor(runs, call.words[0], "drive");
    const { id, status } = found;
    const message = textFlag(call, "message");
    const addTasks = listFlag(call, "add-task").map((title) => ({ title, body: "" }));
    const overrides = settingOverrides(call);
    const isFirst = status === "initialized" || status === "ready";
    if (isFirst && (message !== undefined || addTasks.length > 0 || Object.keys(overrides).length > 0)) {
      throw new HoldfastError(
        "HF1023",
        `run ${id} is ${status}: it starts as it was made, and nothing can be changed`,
        {
          hint: `holdfast runs reconfigure ${id} --message "…", then holdfast resume ${id}`,
        },
      );
    }
    const request = { ...overrides, addTasks, ...(message === undefined ? {} : { message }) };
    if (call.flags.queue) return putInQueue(runs, found, call, isFirst ? {} : request);
    await requireNotQueued(runs, id);
    requireOwnHere(runs, found);
    if (call.flags.detach) {
      await requireStartable(runs, found, request);
      return detach(runs, found, call, withoutDetach(process.argv.slice(2)));
    }
    return drive(runs, id, call, (options) =>
      isFirst ? startRun(runs, id, options) : resumeRun(runs, id, request, options),
    );
  });
