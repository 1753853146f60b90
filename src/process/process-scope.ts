/** Whether a process that left its id in a file still lives: an id means something only on one machine, in one container. */
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";

let known: { readonly pid: number; readonly scope: string } | undefined;

/**
 * Names of machines are given out twice, and outside containers the namespace is the same number everywhere. So what the
 * kernel drew when it was started counts too. By process, because an image of one remembers what was known to another.
 */
export function processScope(): string {
  if (known?.pid !== process.pid) {
    const scope = [hostname(), processNamespace(), bootId()].join("/").replace(/\s/g, "_");
    known = { pid: process.pid, scope };
  }
  return known.scope;
}

/** For an image: of another container, a process with the same number would take it for its own. */
export function forgetProcessScope(): void {
  known = undefined;
}

/** False also where nobody here can know. */
export function isKnownDead(pid: number, scope: string | undefined): boolean {
  if (scope !== processScope()) return false;
  try {
    process.kill(pid, 0);
    return isZombie(pid);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ESRCH";
  }
}

/** Dead, but its parent has not looked yet; the first process of a container often never does. */
function isZombie(pid: number): boolean {
  try {
    return /\) Z [^)]*$/.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}

function processNamespace(): string {
  try {
    return readlinkSync("/proc/self/ns/pid");
  } catch {
    return "-";
  }
}

/** Neither Linux nor macOS: the machine's name has to do. */
function bootId(): string {
  try {
    if (process.platform !== "darwin") return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
    const { execFileSync } = process.getBuiltinModule("node:child_process");
    return execFileSync("/usr/sbin/sysctl", ["-n", "kern.bootsessionuuid"], { encoding: "utf8" }).trim();
  } catch {
    return "-";
  }
}
