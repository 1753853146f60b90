/** One daemon at a time: of several that start at once, the first to publish its socket stays. */
import { chmodSync, lstatSync, renameSync, rmSync } from "node:fs";
import { connect, type Server } from "node:net";
import { withFileLock } from "../../records/file-lock.ts";

export interface Published {
  /** false: another daemon's socket is in our place, or none. */
  isStillThere(): boolean;
  withdraw(): void;
}

/** undefined: another daemon answers already. */
export async function publish(server: Server, socketFile: string): Promise<Published | undefined> {
  const seen = inodeOf(socketFile);
  if (seen !== undefined && (await answers(socketFile))) return undefined;
  const own = `${socketFile}.${process.pid}`;
  rmSync(own, { force: true });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(own, resolve);
  });
  chmodSync(own, 0o600);
  const inode = inodeOf(own);
  const won = withFileLock(`${socketFile}.lock`, {}, () => {
    // Only the dead socket that was looked at may be replaced: a later one is alive.
    if (inodeOf(socketFile) !== seen) return false;
    renameSync(own, socketFile);
    return true;
  });
  if (!won) {
    rmSync(own, { force: true });
    return undefined;
  }
  const isStillThere = () => inodeOf(socketFile) === inode;
  return {
    isStillThere,
    withdraw() {
      if (isStillThere()) rmSync(socketFile, { force: true });
    },
  };
}

function inodeOf(file: string): number | undefined {
  return lstatSync(file, { throwIfNoEntry: false })?.ino;
}

function answers(socketFile: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(socketFile);
    const end = (alive: boolean) => {
      socket.destroy();
      resolve(alive);
    };
    socket.once("connect", () => end(true));
    socket.once("error", () => end(false));
  });
}
