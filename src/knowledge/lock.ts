/** A lock on a file, across processes: whoever starts the roles says how it is taken. */

export interface HeldLock {
  /** False once somebody took it for stale: to be asked right before a write. */
  isHeld(): boolean;
}

export interface TakenLock extends HeldLock {
  release(): void;
}

/** Waits for whoever holds it, not for ever: then it throws. */
export type TakeLock = (lockFile: string) => Promise<TakenLock>;
