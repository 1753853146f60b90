/** One daemon at a time: of several that start at once, the first to publish its socket stays. */
import { chmodSync, lstatSync, renameSync, rmSync } from "node:fs";
import type { Server } from "node:net";
import { withFileLock } from "../../records/file-lock.ts";
import { isPrivateSocket } from "./socket-place.ts";
import { isAnswered } from "./talk.ts";

export interface Published {
  /** false: another daemon's socket is in our place, or none. */
  isStillThere(): boolean;
  withdraw(): void;
}

/** undefined: another daemon answers already. One that hangs, or that no client would talk to, is replaced. */
export async function publish(server: Server, socketFile: string): Promise<Published | undefined> {
  const seen = inodeOf(socketFile);
  if (isPrivateSocket(socketFile) && (await isAnswered(socketFile)) && inodeOf(socketFile) === seen) return undefined;
  const own = `${socketFile}.${process.pid}`;
  try {
    return await publishAs(own, server, socketFile, seen);
  } catch (error) {
    // A server that listens would keep the process.
    server.close();
    throw error;
  } finally {
    rmSync(own, { force: true });
  }
}

async function publishAs(
  own: string,
  server: Server,
  socketFile: string,
  seen: number | undefined,
): Promise<Published | undefined> {
  rmSync(own, { force: true });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(own, () => {
      server.off("error", reject);
      resolve();
    });
  });
  chmodSync(own, 0o600);
  const inode = inodeOf(own);
  const locked = <T>(work: () => T) => withFileLock(`${socketFile}.lock`, {}, work);
  const won = locked(() => {
    // Only the dead socket that was looked at may be replaced: a later one is alive.
    const there = inodeOf(socketFile);
    if (there !== undefined && there !== seen) return false;
    renameSync(own, socketFile);
    return true;
  });
  if (!won) return undefined;
  const isStillThere = () => inodeOf(socketFile) === inode;
  return {
    isStillThere,
    withdraw() {
      if (!isStillThere()) return;
      try {
        // Under the lock: the socket of a daemon that replaces us just now stays.
        locked(() => isStillThere() && rmSync(socketFile, { force: true }));
      } catch {
        // A socket that nobody answers at is replaced by the next daemon.
      }
    },
  };
}

function inodeOf(file: string): number | undefined {
  return lstatSync(file, { throwIfNoEntry: false })?.ino;
}
