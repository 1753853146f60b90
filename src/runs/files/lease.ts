/** Who drives a run: one process, that says again and again that it still does. */
import { randomUUID } from "node:crypto";
import { linkSync, renameSync } from "node:fs";
import { join } from "node:path";
import { isSilent } from "../../process/silence.ts";
import type { Lease } from "../store.ts";
import { codeOf, type Disk, readIfThere, unlinkIfThere } from "./disk.ts";
import { type TakeLock, withLock } from "./lock.ts";
import { identityOf, inWords, isAlive, type ProcessIdentity } from "./process-identity.ts";
import { clearStopRequest, watchForStop } from "./stop-request.ts";

export interface LeaseTimes {
  readonly renewMs: number;
  /** Not renewed for so long: its owner hangs, or its machine is gone. */
  readonly silentMs: number;
}

export const LEASE_TIMES: LeaseTimes = { renewMs: 5_000, silentMs: 60_000 };

interface LeaseFile {
  readonly token: string;
  readonly owner: ProcessIdentity;
  readonly renewedAt: string;
}

export interface Leasing {
  readonly disk: Disk;
  readonly directory: string;
  readonly takeLock: TakeLock;
  readonly lockPath: string;
  readonly times: LeaseTimes;
}

export function takeLease(leasing: Leasing): Promise<Lease | { readonly heldBy: string }> {
  const { disk, directory, takeLock, lockPath, times } = leasing;
  return withLock(takeLock, lockPath, () => {
    const held = driver(directory, times);
    if (held !== undefined) return { heldBy: held };
    const token = randomUUID();
    clearStopRequest(directory);
    write(disk, directory, { token, owner: identityOf(process.pid), renewedAt: new Date().toISOString() });
    return kept(leasing, token);
  });
}

/** In words; undefined: nobody who is alive. */
export function driver(directory: string, times: LeaseTimes): string | undefined {
  const lease = read(directory);
  if (!lease) return undefined;
  const { owner, renewedAt } = lease;
  if (isAlive(owner) === false) return undefined;
  return isSilent(Date.parse(renewedAt), Date.now(), times.silentMs, owner.scope) ? undefined : inWords(owner);
}

export const tokenOf = (directory: string): string | undefined => read(directory)?.token;

function kept(leasing: Leasing, token: string): Lease {
  const { disk, directory, takeLock, lockPath, times } = leasing;
  const lost = new AbortController();
  const stopWatch = watchForStop(directory);
  const ours = () => read(directory)?.token === token;
  const renew = () =>
    withLock(takeLock, lockPath, () => {
      if (!ours()) return lose();
      write(disk, directory, { token, owner: identityOf(process.pid), renewedAt: new Date().toISOString() });
    }).catch((error) => {
      // A lock that could not be had once is no loss: there is time for several more tries before silence.
      if (!ours()) lose(error);
    });
  const lose = (error?: unknown) => {
    clearInterval(timer);
    stopWatch.end();
    lost.abort(error ?? new Error("another process drives this run now"));
  };
  const timer = setInterval(renew, times.renewMs);
  timer.unref();
  return {
    token,
    lost: lost.signal,
    stopped: stopWatch.stopped,
    async release() {
      clearInterval(timer);
      stopWatch.end();
      await withLock(takeLock, lockPath, () => {
        if (!ours()) return;
        unlinkIfThere(leaseFile(directory));
        clearStopRequest(directory);
      }).catch((error) => {
        // The run was deleted, and the lease with it.
        if (codeOf(error) === "ENOENT") return;
        if (!["ENOSPC", "EDQUOT"].includes(codeOf(error) ?? "")) throw error;
        letGo(directory, token);
      });
    },
  };
}

/**
 * A disk that is full has no room for a lock; to say nothing would keep the run from others for as long as silence takes.
 * Moved away first: what turns out to be another's is put back.
 */
function letGo(directory: string, token: string): void {
  const file = leaseFile(directory);
  const aside = `${file}.${token}`;
  try {
    renameSync(file, aside);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return;
    throw error;
  }
  const isOurs = readIfThere(aside)?.includes(token) ?? true;
  try {
    if (!isOurs) linkSync(aside, file);
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
  } finally {
    unlinkIfThere(aside);
  }
}

const leaseFile = (directory: string) => join(directory, "lease.json");

function read(directory: string): LeaseFile | undefined {
  const text = readIfThere(leaseFile(directory));
  if (text === undefined) return undefined;
  try {
    const lease = JSON.parse(text) as LeaseFile | null;
    return typeof lease?.owner?.scope === "string" ? lease : undefined;
  } catch {
    // It is replaced whole, so this is nobody's lease.
    return undefined;
  }
}

const write = (disk: Disk, directory: string, lease: LeaseFile) =>
  disk.replaceUnsynced(leaseFile(directory), JSON.stringify(lease));
