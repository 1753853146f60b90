/** `--detach`: a process of its own drives the run, and outlives this one. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { join } from "node:path";
import { HoldfastError } from "../../core/errors.ts";
import { unmarked } from "../../process/kill-tree.ts";
import type { Run } from "../../runs/run.ts";
import type { OpenRuns } from "../run/ports.ts";
import { type CommandCall, type ExitCode, textFlag } from "./command.ts";

/** `args`: of the holdfast that drives it. */
export async function detach(
  runs: OpenRuns,
  { id }: Run,
  call: CommandCall,
  args: readonly string[],
): Promise<ExitCode> {
  const { cwd, distDir, output } = call;
  const log = join(runs.store.directoryOf(id), "driver.log");
  const notify = textFlag(call, "notify");
  const more = notify === undefined || args.includes("--notify") ? [] : ["--notify", notify];
  const said = openSync(log, "a", 0o600);
  const driver = spawn(process.execPath, [join(distDir, "..", "bin", "holdfast"), ...args, ...more], {
    cwd,
    // It belongs to no attempt, also when an agent started it: the end of that attempt is not its end.
    env: { ...unmarked(runs.env), HOLDFAST_DETACHED: "1" },
    detached: true,
    stdio: ["ignore", said, said],
  });
  closeSync(said);
  try {
    await once(driver, "spawn");
  } catch (error) {
    throw new HoldfastError("HF1042", `no process can be started that drives run ${id}: ${(error as Error).message}`);
  }
  driver.unref();
  if (output.json) output.data({ run: id, pid: driver.pid, log });
  else {
    output.line(`run ${id} goes on in process ${driver.pid}`);
    output.line(`  holdfast status ${id} --follow shows how; what it says is in ${log}`);
  }
  return 0;
}

export const withoutDetach = (args: readonly string[]): readonly string[] => args.filter((arg) => arg !== "--detach");
