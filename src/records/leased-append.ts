/**
 * For a process that appends often: the lock and the open file of a journal are kept for a moment, so that a burst of
 * records costs one write each. Others get their turn: a lease is short, and after it comes a pause.
 */
import { type KeptLock, keepFileLock } from "./file-lock.ts";
import type { IoFailure } from "./io-failure.ts";
import { type Append, type AppendResult, appendUnderLock, appendWith, type Journal, lockOf } from "./journal.ts";
import { type JournalWriter, openJournal } from "./journal-writer.ts";
import { drainSpool } from "./spool.ts";

/** Well below what others wait for a lock. */
const LONGEST_MS = 200;
const IDLE_MS = 25;
const PAUSE_MS = 30;

export interface LeasedAppends {
  readonly append: Append;
  close(): void;
}

interface Lease {
  readonly lock: KeptLock;
  readonly writer: JournalWriter;
  readonly sinceMs: number;
  usedMs: number;
}

export function leasedAppends(): LeasedAppends {
  const leases = new Map<string, Lease>();
  const pausedUntilMs = new Map<string, number>();
  let timer: NodeJS.Timeout | undefined;

  function write(journal: Journal, texts: readonly string[]): AppendResult {
    const warnings: IoFailure[] = [];
    const lease = usable(journal) ?? taken(journal, (failure) => warnings.push(failure));
    if (!lease) return appendUnderLock(journal, texts);
    try {
      if (texts.length > 0) lease.writer.write(texts);
    } catch (error) {
      end(journal.file, lease);
      throw error;
    }
    lease.usedMs = performance.now();
    watch();
    return { kind: "written", head: lease.writer.head, drainedCount: 0, warnings };
  }

  function usable({ file }: Journal): Lease | undefined {
    const lease = leases.get(file);
    if (!lease) return undefined;
    const now = performance.now();
    const isOver = now - lease.sinceMs > LONGEST_MS;
    if (!isOver && lease.lock.isHeld() && lease.writer.isInPlace()) return lease;
    end(file, lease);
    if (isOver) pausedUntilMs.set(file, now + PAUSE_MS);
    return undefined;
  }

  function taken(journal: Journal, warn: (failure: IoFailure) => void): Lease | undefined {
    const { file, spoolDir } = journal;
    if ((pausedUntilMs.get(file) ?? 0) > performance.now()) return undefined;
    pausedUntilMs.delete(file);
    const { path, options } = lockOf(journal);
    const lock = keepFileLock(path, options);
    try {
      const writer = openJournal(journal, lock, warn, "on close");
      if (spoolDir) drainSpool(spoolDir, file, writer, warn);
      const now = performance.now();
      const lease = { lock, writer, sinceMs: now, usedMs: now };
      leases.set(file, lease);
      return lease;
    } catch (error) {
      lock.release();
      throw error;
    }
  }

  function end(file: string, { lock, writer }: Lease): void {
    leases.delete(file);
    try {
      writer.close();
    } finally {
      lock.release();
    }
  }

  function watch(): void {
    timer ??= setTimeout(() => {
      timer = undefined;
      const now = performance.now();
      for (const [file, lease] of leases) if (now - lease.usedMs >= IDLE_MS) end(file, lease);
      if (leases.size > 0) watch();
    }, IDLE_MS);
    timer.unref();
  }

  return {
    append: (journal, records) => appendWith(write, journal, records),
    close() {
      clearTimeout(timer);
      for (const [file, lease] of leases) end(file, lease);
    },
  };
}
