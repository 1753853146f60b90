/** Whether a process that left its id in a file still lives: an id means something only on one machine, in one container. */
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";

export function processScope(): string {
  return `${hostname()}/${processNamespace()}`.replace(/\s/g, "_");
}

function processNamespace(): string {
  try {
    return readlinkSync("/proc/self/ns/pid");
  } catch {
    return "-";
  }
}

/** False also where nobody here can know. */
export function isKnownDead(pid: number, scope: string): boolean {
  if (scope !== processScope()) return false;
  try {
    process.kill(pid, 0);
    return isZombie(pid);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ESRCH";
  }
}

function isZombie(pid: number): boolean {
  try {
    return /\) Z [^)]*$/.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}
