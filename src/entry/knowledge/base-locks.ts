/** The locks of a base for programs that people wait for: taken without holding up the process, given up with a sentence. */
import { HoldfastError } from "../../core/errors.ts";
import type { Exclusively } from "../../knowledge/base/write.ts";
import type { TakeLock } from "../../knowledge/lock.ts";
import { awaitFileLock, LockTimeoutError, tryFileLock } from "../../records/file-lock.ts";

export function baseLocks(waitMs: number): { readonly exclusively: Exclusively; readonly takeLock: TakeLock } {
  const options = { waitMs, createDirectory: true };
  const takeLock: TakeLock = async (lockFile) => {
    try {
      // The first makes the directory of the lock, the second waits.
      return tryFileLock(lockFile, options) ?? (await awaitFileLock(lockFile, options));
    } catch (error) {
      if (error instanceof LockTimeoutError) throw new HoldfastError("HF1112", error.message, { file: lockFile });
      throw error;
    }
  };
  return {
    takeLock,
    async exclusively(lockFile, work) {
      const lock = await takeLock(lockFile);
      try {
        return work(lock);
      } finally {
        lock.release();
      }
    },
  };
}
