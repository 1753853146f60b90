/**
 * What the hooks in this process's workers have taken since they were asked. A worker that is busy cannot be asked,
 * and the system knows only the whole process: so what this thread holds itself is taken off, and hooks that run at the
 * same time share the blame only for what is more than all of them may have.
 */
const RECENT_MS = 1_000;

interface Usage {
  readonly whole: number;
  /** Without what this thread holds. It also grows as this thread frees memory that the system does not take back. */
  readonly others: number;
}

let seen: Usage = { whole: 0, others: 0 };
let seenMs = Number.NEGATIVE_INFINITY;

export interface MemoryWatch {
  /** Its share of the growth; less than it took while others run beside it. */
  grownMb(): number;
  stop(): void;
}

/** `most`: how many were watched at once while this one was; what those took stays when they are over. */
const watched = new Set<{ most: number }>();

export function watchMemory(): MemoryWatch {
  const before = recently();
  const own = { most: 0 };
  let looked = false;
  watched.add(own);
  for (const each of watched) each.most = Math.max(each.most, watched.size);
  return {
    grownMb() {
      looked = true;
      const { whole, others } = now();
      return Math.min(whole - before.whole, others - before.others) / own.most / 2 ** 20;
    },
    stop() {
      watched.delete(own);
      // One that took its time may have taken memory too, or given it back: the next begins with what is there by then.
      if (looked) seenMs = Number.NEGATIVE_INFINITY;
    },
  };
}

function now(): Usage {
  const { rss, heapTotal, external } = process.memoryUsage();
  seen = { whole: rss, others: rss - heapTotal - external };
  seenMs = performance.now();
  return seen;
}

/** Asking the system takes a tenth of what a quick hook takes: before a question, what it said a moment ago will do. */
const recently = () => (performance.now() - seenMs < RECENT_MS ? seen : now());
