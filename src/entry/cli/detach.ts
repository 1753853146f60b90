/** `--detach`: a process of its own drives the run, and outlives this one. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { HoldfastError } from "../../core/errors.ts";
import { unmarked } from "../../process/kill-tree.ts";
import { identityOf, inWords } from "../../runs/files/process-identity.ts";
import type { Run } from "../../runs/run.ts";
import { readRun } from "../../runs/update.ts";
import type { OpenRuns } from "../run/ports.ts";
import { type CommandCall, type ExitCode, textFlag } from "./command.ts";

/** `args`: of the holdfast that drives it. */
export async function detach(runs: OpenRuns, run: Run, call: CommandCall, args: readonly string[]): Promise<ExitCode> {
  const { cwd, distDir, output } = call;
  const { id } = run;
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
  await begun(runs, run, driver, log);
  driver.unref();
  if (output.json) output.data({ run: id, pid: driver.pid, log });
  else {
    output.line(`run ${id} goes on in process ${driver.pid}`);
    output.line(`  holdfast status ${id} --follow shows how; what it says is in ${log}`);
  }
  return 0;
}

/** Longer than a program takes to start on a machine that is busy. */
const PATIENCE_MS = 20_000;
const LOOK_EVERY_MS = 50;

/** Nobody would hear of a driver that ended before it began. Another that began meanwhile is not this one. */
async function begun(runs: OpenRuns, before: Run, driver: ChildProcess, log: string): Promise<void> {
  const { id, sessions, progress } = before;
  for (let waitedMs = 0; waitedMs < PATIENCE_MS; waitedMs += LOOK_EVERY_MS) {
    const hasEnded = driver.exitCode !== null || driver.signalCode !== null;
    const hasBegun = progress !== null || (await readRun(runs, id)).sessions.length > sessions.length;
    if (hasEnded && (driver.exitCode === 0 || (hasBegun && driver.exitCode !== REFUSED))) return;
    if (hasEnded) {
      const lines = readFileSync(log, "utf8").trim().split("\n");
      const why = lines.findLast((line) => line.startsWith("error")) ?? lines.at(-1);
      throw new HoldfastError("HF1042", `what was to drive run ${id} ended before it began: ${why}`, { file: log });
    }
    if (hasBegun && (await runs.store.driverOf(id)) === inWords(identityOf(driver.pid ?? 0))) return;
    await sleep(LOOK_EVERY_MS);
  }
}

/** What ends so never drove a run. */
const REFUSED = 3;

export const withoutDetach = (args: readonly string[]): readonly string[] => args.filter((arg) => arg !== "--detach");
