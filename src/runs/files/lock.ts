/**
 * The lock under which a run's files change, for milliseconds; no hook ever runs while it is held. A port: the lock with
 * an owner that heals is the one of journals (src/records), which runs do not import.
 */
export type TakeLock = (path: string) => Promise<HeldLock>;

export interface HeldLock {
  /** False once somebody took it for abandoned: to be asked right before what needs it. */
  isHeld(): boolean;
  release(): void;
}

export async function withLock<T>(takeLock: TakeLock, path: string, work: (lock: HeldLock) => T): Promise<T> {
  const lock = await takeLock(path);
  try {
    return work(lock);
  } finally {
    lock.release();
  }
}
