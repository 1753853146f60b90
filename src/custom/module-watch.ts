/** Time and memory of the hooks that a worker is being asked about. */
import { watchMemory } from "./module-memory.ts";

const MEMORY_CHECK_MS = 20;

export interface Watch {
  /** Instead of what was due before. */
  due(ms: number, onDue: () => void): void;
  stop(): void;
}

export function startWatch(maxMemoryMb: number, onTooMuch: () => void): Watch {
  const memory = watchMemory();
  let timer: NodeJS.Timeout | undefined;
  const check = setInterval(() => {
    if (memory.grownMb() > maxMemoryMb) onTooMuch();
  }, MEMORY_CHECK_MS);
  return {
    due(ms, onDue) {
      clearTimeout(timer);
      timer = setTimeout(onDue, ms);
    },
    stop() {
      clearTimeout(timer);
      clearInterval(check);
      memory.stop();
    },
  };
}
