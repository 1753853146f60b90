/** Which process something belongs to: ids are given out again, so when it started and where count too. */
import { readFileSync } from "node:fs";
import { processScope } from "../../process/process-scope.ts";
import { codeOf } from "./disk.ts";

export interface ProcessIdentity {
  readonly pid: number;
  /** In the kernel's own count; null where the system does not tell. */
  readonly startedAt: string | null;
  /** The machine since it was started, and the container on it: a lease from before a restart runs out, no sooner. */
  readonly scope: string;
}

export function identityOf(pid: number): ProcessIdentity {
  return { pid, startedAt: statusOf(pid)?.startedAt ?? null, scope: processScope() };
}

/** Undefined: it lives on another machine or in another container, where nobody here can see it. */
export function isAlive(identity: ProcessIdentity): boolean | undefined {
  if (identity.scope !== processScope()) return undefined;
  try {
    process.kill(identity.pid, 0);
  } catch (error) {
    if (codeOf(error) === "ESRCH") return false;
  }
  const status = statusOf(identity.pid);
  if (!status || identity.startedAt === null) return true;
  return status.startedAt === identity.startedAt && !status.isZombie;
}

export const inWords = ({ pid, scope }: ProcessIdentity): string =>
  scope === processScope() ? `process ${pid}` : `process ${pid} on ${scope.split("/")[0]}`;

function statusOf(pid: number): { readonly startedAt: string | null; readonly isZombie: boolean } | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The second field is the program's name, which may hold anything but ends with the last bracket.
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return { startedAt: fields[19] ?? null, isZombie: fields[0] === "Z" };
  } catch {
    return undefined;
  }
}
