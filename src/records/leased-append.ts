/**
 * For a process that appends often: the lock and the open file of a journal are kept for a moment, so that a burst of
 * records costs one write each. Others get their turn: a lease is short, and after it comes a pause. While another
 * process has the lock nothing here stands still: only who writes to that journal waits.
 */
import { awaitFileLock, type KeptLock, tryFileLock } from "./file-lock.ts";
import type { IoFailure } from "./io-failure.ts";
import { type AppendResult, type AppendSoon, appendHolding, appendWith, type Journal, lockOf } from "./journal.ts";
import { type JournalWriter, openJournal } from "./journal-writer.ts";
import { drainSpool } from "./spool.ts";

/** Well below what others wait for a lock. */
const LONGEST_MS = 200;
const IDLE_MS = 25;
const PAUSE_MS = 30;
/** A call writes to three journals, and its client waits for three seconds. */
const LONGEST_WAIT_MS = 700;

export interface LeasedAppends {
  readonly append: AppendSoon;
  close(): void;
}

interface Lease {
  readonly lock: KeptLock;
  readonly writer: JournalWriter;
  /** What the next one to write is told. */
  readonly warnings: IoFailure[];
  readonly sinceMs: number;
  usedMs: number;
}

export function leasedAppends(): LeasedAppends {
  const leases = new Map<string, Lease>();
  const pausedUntilMs = new Map<string, number>();
  const awaited = new Map<string, Promise<void>>();
  let timer: NodeJS.Timeout | undefined;

  const write: AppendSoon = (journal, records) => {
    const { file } = journal;
    const known = usable(journal);
    if (known) return writeTo(known, journal, records);
    const { path, options } = lockOf(journal);
    const lock = awaited.has(file) ? undefined : tryFileLock(path, options);
    if (!lock) return awaitedLock(journal).then(() => write(journal, records));
    if (!isPaused(file)) return writeTo(leased(journal, lock), journal, records);
    try {
      return appendHolding(lock, journal, records);
    } finally {
      lock.release();
    }
  };

  function writeTo(lease: Lease, { file }: Journal, records: Parameters<AppendSoon>[1]): AppendResult {
    try {
      if (records.length > 0) lease.writer.write(records);
    } catch (error) {
      end(file, lease);
      throw error;
    }
    lease.usedMs = performance.now();
    watch();
    return { kind: "written", head: lease.writer.head, drainedCount: 0, warnings: lease.warnings.splice(0) };
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

  function isPaused(file: string): boolean {
    const isPaused = (pausedUntilMs.get(file) ?? 0) > performance.now();
    if (!isPaused) pausedUntilMs.delete(file);
    return isPaused;
  }

  function leased(journal: Journal, lock: KeptLock): Lease {
    const { file, spoolDir } = journal;
    const warnings: IoFailure[] = [];
    const warn = (failure: IoFailure) => warnings.push(failure);
    try {
      const writer = openJournal(journal, lock, warn, "on close");
      if (spoolDir) drainSpool(spoolDir, file, writer, warn);
      const now = performance.now();
      const lease = { lock, writer, warnings, sinceMs: now, usedMs: now };
      leases.set(file, lease);
      return lease;
    } catch (error) {
      lock.release();
      throw error;
    }
  }

  /** One wait for all who write to the journal meanwhile; then each of them begins again. */
  function awaitedLock(journal: Journal): Promise<void> {
    const { file } = journal;
    const known = awaited.get(file);
    if (known) return known;
    const { path, options } = lockOf(journal);
    const waitMs = Math.min(options.waitMs ?? LONGEST_WAIT_MS, LONGEST_WAIT_MS);
    const wait = awaitFileLock(path, { ...options, waitMs })
      .finally(() => awaited.delete(file))
      .then((lock) => void leased(journal, lock));
    awaited.set(file, wait);
    return wait;
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
