/** The processes that belong to a machine: daemons that calls started outlive the tests that made the calls. */
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/** Known by the state directory in their environment; nowhere but on Linux. */
export function processesOf({ stateDir }: { readonly stateDir: string }): number[] {
  if (process.platform !== "linux") return [];
  const mark = `HOLDFAST_STATE_DIR=${stateDir}`;
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => pid !== process.pid && textOf(pid, "environ").split("\0").includes(mark));
}

export async function endProcessesOf(machine: { readonly stateDir: string }): Promise<void> {
  for (let left = processesOf(machine); left.length > 0; left = processesOf(machine)) {
    for (const pid of left) signal(pid, "SIGKILL");
    await sleep(10);
  }
}

/** Of a process that is gone, or a zombie: nothing. */
export function textOf(pid: number, file: "environ" | "cmdline" | "stat"): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return "";
  }
}

/**
 * With all that it had open. While a killed process is taken apart, its memory goes first and its sockets last, with the
 * last of its threads: the first one is a zombie by then, as long as others are left.
 */
export function isGone(pid: number): boolean {
  const status = textOf(pid, "stat");
  return status === "" || (/\) Z /.test(status) && threadsOf(pid) <= 1);
}

function threadsOf(pid: number): number {
  try {
    return readdirSync(`/proc/${pid}/task`).length;
  } catch {
    return 0;
  }
}

/** To one process that may be gone already. */
export function signal(pid: number | undefined, name: NodeJS.Signals): void {
  try {
    if (pid) process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
