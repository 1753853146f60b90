/** Every write of the file store goes through here: synced before it counts, and told to whoever counts writes. */
import {
  closeSync,
  constants,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { makeDirectory } from "../../files/make-directory.ts";

export interface Disk {
  /** Whole or not at all, also after a power cut. */
  replace(path: string, text: string): void;
  /** Whole or not at all while the machine runs: for what is worth nothing once it has stopped. */
  replaceUnsynced(path: string, text: string): void;
  /** At the end of the open file, cutting off first what was torn. */
  append(path: string, text: string, keepBytes: number | undefined): void;
  /** A file that is only a convenience: a line that is lost is found out. */
  appendUnsynced(path: string, text: string): void;
  move(from: string, to: string): void;
  remove(path: string): void;
  makeDirectory(path: string): void;
}

/** `onWrite` is called before and after each write, with what it does: the crash suite dies there. */
export function createDisk(onWrite: (point: string) => void = () => {}): Disk {
  const told = (what: string, path: string, work: () => void) => {
    const name = path.slice(path.lastIndexOf("/") + 1);
    onWrite(`before ${what} ${name}`);
    work();
    onWrite(`after ${what} ${name}`);
  };
  const replace = (path: string, text: string, isSynced: boolean) => {
    // One name: who writes holds the lock, and the next write clears away what a dead one left.
    const temporary = `${path}.tmp`;
    told("write", temporary, () => withFile(temporary, "w", (file) => writeWhole(file, text, isSynced)));
    told("rename", path, () => {
      renameSync(temporary, path);
      if (isSynced) syncDirectory(dirname(path));
    });
  };
  return {
    replace: (path, text) => replace(path, text, true),
    replaceUnsynced: (path, text) => replace(path, text, false),
    append: (path, text, keepBytes) =>
      told("append", path, () => {
        const isNew = keepBytes === undefined;
        withFile(path, "a", (file) => {
          if (keepBytes !== undefined) ftruncateSync(file, keepBytes);
          writeWhole(file, text, true);
        });
        if (isNew) syncDirectory(dirname(path));
      }),
    appendUnsynced: (path, text) =>
      told("append", path, () => withFile(path, "a", (file) => void writeSync(file, text))),
    move: (from, to) =>
      told("move", to, () => {
        makeDirectory(dirname(to), 0o700);
        renameSync(from, to);
        syncDirectory(dirname(to));
        syncDirectory(dirname(from));
      }),
    remove: (path) => told("remove", path, () => rmSync(path, { recursive: true, force: true })),
    makeDirectory: (path) => told("mkdir", path, () => void makeDirectory(path, 0o700)),
  };
}

export function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR") return undefined;
    throw error;
  }
}

export function unlinkIfThere(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error;
  }
}

export const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;

/** For what another makes up for later. Only what the system refuses may be left: a full disk, a file of somebody else's. */
export function ifPossible(work: () => void): void {
  try {
    work();
  } catch (error) {
    if (!/^E[A-Z]/.test(codeOf(error) ?? "")) throw error;
  }
}

function writeWhole(file: number, text: string, isSynced: boolean): void {
  const bytes = Buffer.from(text);
  for (let written = 0; written < bytes.length; ) written += writeSync(file, bytes, written);
  if (isSynced) fsyncSync(file);
}

function withFile(path: string, flags: string, work: (file: number) => void): void {
  const file = openSync(path, flags, 0o600);
  try {
    work(file);
  } finally {
    closeSync(file);
  }
}

/** Windows cannot open directories; there a rename is durable by itself. */
function syncDirectory(path: string): void {
  if (process.platform === "win32") return;
  const directory = openSync(path, constants.O_RDONLY);
  try {
    fsyncSync(directory);
  } finally {
    closeSync(directory);
  }
}
