/**
 * What the hooks in this process's workers have taken since they were asked. A worker that is busy cannot be asked,
 * and the system knows only the whole process: so what this thread holds itself is taken off, and hooks that run at the
 * same time share the blame only for what is more than all of them may have.
 */
const RECENT_MS = 1_000;
let seen = { bytes: 0, atMs: Number.NEGATIVE_INFINITY };
let watched = 0;

export interface MemoryWatch {
  /** Its share of the growth; less than it took while others run beside it. */
  grownMb(): number;
  stop(): void;
}

export function watchMemory(): MemoryWatch {
  const before = recently();
  watched++;
  let stopped = false;
  return {
    grownMb: () => (now() - before) / watched / 2 ** 20,
    stop() {
      if (!stopped) watched--;
      stopped = true;
    },
  };
}

function now(): number {
  const { rss, heapTotal, external } = process.memoryUsage();
  seen = { bytes: rss - heapTotal - external, atMs: performance.now() };
  return seen.bytes;
}

/** Asking the system takes a tenth of what a quick hook takes: before a question, what it said a moment ago will do. */
const recently = () => (performance.now() - seen.atMs < RECENT_MS ? seen.bytes : now());
