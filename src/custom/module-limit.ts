/** How many workers this process has at most, whoever runs them: the idle one that was used least recently makes room. */

export interface Occupant {
  isIdle(): boolean;
  /** Ends it, if it is idle. */
  dismiss(): void;
}

export interface WorkerLimit {
  /** false: as many as there may be are busy. */
  admit(occupant: Occupant): boolean;
  /** It has nothing to do any more. */
  rest(occupant: Occupant): void;
  leave(occupant: Occupant): void;
  /** Called as soon as there may be room, once. */
  whenFree(listener: () => void): void;
}

export interface LimitOptions {
  readonly maxWorkers: number;
  readonly maxIdle: number;
  readonly idleMs: number;
}

export function createWorkerLimit({ maxWorkers, maxIdle, idleMs }: LimitOptions): WorkerLimit {
  /** With the moment since which it is idle; the last used stands last. */
  const occupants = new Map<Occupant, number>();
  const listeners = new Set<() => void>();
  let sweeper: NodeJS.Timeout | undefined;

  const idle = () => [...occupants.keys()].filter((occupant) => occupant.isIdle());

  function announce(): void {
    for (const listener of listeners) {
      listeners.delete(listener);
      listener();
    }
  }

  function sweep(): void {
    const now = performance.now();
    for (const occupant of idle()) if (now - (occupants.get(occupant) ?? now) >= idleMs) occupant.dismiss();
    if (occupants.size > 0) return;
    clearInterval(sweeper);
    sweeper = undefined;
  }

  return {
    admit(occupant) {
      if (occupants.size >= maxWorkers) idle()[0]?.dismiss();
      if (occupants.size >= maxWorkers) return false;
      occupants.set(occupant, performance.now());
      sweeper ??= setInterval(sweep, idleMs / 2).unref();
      return true;
    },
    rest(occupant) {
      occupants.delete(occupant);
      occupants.set(occupant, performance.now());
      if (listeners.size > 0) announce();
      if (occupants.size <= maxIdle) return;
      const resting = idle();
      for (const oldest of resting.slice(0, Math.max(0, resting.length - maxIdle))) oldest.dismiss();
    },
    leave(occupant) {
      if (occupants.delete(occupant)) announce();
    },
    whenFree: (listener) => void listeners.add(listener),
  };
}

/** A worker takes some 20 MB; more hooks at once than this are as many agents as a machine can bear. */
export const processLimit = createWorkerLimit({ maxWorkers: 16, maxIdle: 4, idleMs: 5 * 60_000 });
