/** Files of the base that several processes change: one at a time, whole or not at all. */
import { randomUUID } from "node:crypto";
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { HoldfastError } from "../../core/errors.ts";
import { makeDirectory } from "../../files/make-directory.ts";
import type { HeldLock } from "../lock.ts";

/**
 * Runs the work while no other process holds the same lock file, and lets others in this process go on until it is free.
 * Throws HF1112 where it stays taken. The work itself never waits: whoever holds the lock holds up all others.
 */
export type Exclusively = <T>(lockFile: string, work: (lock: HeldLock) => T) => Promise<T>;

/** Whoever slept so long that its lock was taken for stale must not write over what others wrote since. */
export function assertHeld(lock: HeldLock): void {
  if (lock.isHeld()) return;
  throw new HoldfastError("HF1112", "the lock on the knowledge base was lost meanwhile, so nothing more was written");
}

/** Its temporary file has a name that nobody else uses, so that two writers cannot mix their bytes. */
export function replaceFile(file: string, text: string, lock: HeldLock): void {
  const dir = dirname(file);
  makeDirectory(dir);
  const temporary = join(dir, `.${basename(file)}.${process.pid}.${randomUUID().slice(0, 8)}.tmp`);
  try {
    const descriptor = openSync(temporary, "wx", 0o644);
    try {
      writeFileSync(descriptor, text);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    assertHeld(lock);
    renameSync(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}
