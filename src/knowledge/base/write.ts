/** Files of the base that several processes change: one at a time, whole or not at all. */
import { randomUUID } from "node:crypto";
import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";

/** Runs the work while no other process holds the same lock file; `isHeld` turns false when the lock was lost meanwhile. */
export type Exclusively = <T>(lockFile: string, work: (lock: { isHeld(): boolean }) => T) => T;

/** Its temporary file has a name that nobody else uses, so that two writers cannot mix their bytes. */
export function replaceFile(file: string, text: string): void {
  const dir = dirname(file);
  mkdirSync(dir, { recursive: true });
  const temporary = join(dir, `.${basename(file)}.${process.pid}.${randomUUID().slice(0, 8)}.tmp`);
  try {
    const descriptor = openSync(temporary, "wx", 0o644);
    try {
      writeFileSync(descriptor, text);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameSync(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}
