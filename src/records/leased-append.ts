/**
 * For a process that appends often: the lock and the open file of a journal are kept for a moment, so that a burst of
 * records costs one write each. Others get their turn: a lease is short, and after it comes a pause. While another
 * process has the lock nothing here stands still: only who writes to that journal waits.
 */
import { awaitFileLock, type KeptLock, tryFileLock } from "./file-lock.ts";
import type { IoFailure } from "./io-failure.ts";
import {
  type AppendResult,
  type AppendSoon,
  appendWith,
  type Journal,
  lockOf,
  type Records,
  type WriteTextsSoon,
} from "./journal.ts";
import { JournalWriteError, type JournalWriter, openJournal, type Written } from "./journal-writer.ts";
import { drainSpool } from "./spool.ts";

/** Well below what others wait for a lock. */
const LONGEST_MS = 200;
const IDLE_MS = 25;
const PAUSE_MS = 30;
const MAX_RESTING = 32;
/** A call writes to three journals, and its client waits for three seconds. */
const LONGEST_WAIT_MS = 700;

export interface LeasedAppends {
  readonly append: AppendSoon;
  /** The same for texts that are ready to be written; rejects, or throws, where they cannot be. */
  readonly write: WriteTextsSoon;
  /** Lets go of all it keeps. Who still writes afterwards takes the lock for that only. */
  close(): void;
}

interface Kept {
  readonly writer: JournalWriter;
  /** What the next one to write is told. */
  readonly warnings: IoFailure[];
}

interface Lease extends Kept {
  readonly lock: KeptLock;
  readonly sinceMs: number;
  usedMs: number;
}

/** Hears what was written where, so that this process need not read it again. */
export type OnWritten = (file: string, written: Written, texts: readonly string[], records: Records) => void;

export function leasedAppends(onWritten: OnWritten = () => {}): LeasedAppends {
  const leases = new Map<string, Lease>();
  const resting = new Map<string, Kept>();
  const pausedUntilMs = new Map<string, number>();
  const awaited = new Map<string, Promise<void>>();
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  const write: WriteTextsSoon = (journal, texts, records = []) => {
    const result = leasedWrite(journal, texts, records);
    if (isClosed) letGo();
    return result;
  };

  const leasedWrite: WriteTextsSoon = (journal, texts, records = []) => {
    const { file } = journal;
    const known = usable(journal);
    const written = known && writeIfHeld(known, journal, texts, records);
    if (written) return written;
    const { path, options } = lockOf(journal);
    const lock = awaited.has(file) ? undefined : tryFileLock(path, options);
    if (!lock) return awaitedLock(journal).then(() => write(journal, texts, records));
    const lease = leased(journal, lock);
    const result = writeTo(lease, journal, texts, records);
    // Others are to have their turn: this one takes no longer than it must.
    if (isPaused(file) && leases.get(file) === lease) end(file, lease);
    return result;
  };

  /** The writer looks whether the lock is still ours; undefined: it was taken over, and this begins anew. */
  function writeIfHeld(...given: Parameters<typeof writeTo>): AppendResult | undefined {
    try {
      return writeTo(...given);
    } catch (error) {
      if (error instanceof JournalWriteError && error.code === "LOCK_LOST") return undefined;
      throw error;
    }
  }

  function writeTo(lease: Lease, { file }: Journal, texts: readonly string[], records: Records): AppendResult {
    try {
      if (texts.length > 0) onWritten(file, lease.writer.write(texts), texts, records);
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
    if (!isOver && lease.writer.isInPlace()) return lease;
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
    let kept: Kept | undefined;
    try {
      kept = resumed(file, lock) ?? opened(journal, lock);
      const { writer, warnings } = kept;
      if (spoolDir) drainSpool(spoolDir, file, writer, (failure) => warnings.push(failure));
      const now = performance.now();
      const lease = { lock, writer, warnings, sinceMs: now, usedMs: now };
      leases.set(file, lease);
      return lease;
    } catch (error) {
      kept?.writer.close();
      lock.release();
      throw error;
    }
  }

  /** Usually nobody else wrote since: then nothing has to be read again. */
  function resumed(file: string, lock: KeptLock): Kept | undefined {
    const kept = resting.get(file);
    resting.delete(file);
    if (!kept || kept.writer.resume(lock)) return kept;
    kept.writer.close();
    return undefined;
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

  function end(file: string, { lock, writer, warnings }: Lease): void {
    leases.delete(file);
    try {
      // Without the lock others may have written: what this writer knows is old.
      if (!lock.isHeld()) return writer.close();
      writer.rest();
      resting.set(file, { writer, warnings });
      for (const [oldest, old] of resting) {
        if (resting.size <= MAX_RESTING) break;
        resting.delete(oldest);
        old.writer.close();
      }
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

  function letGo(): void {
    clearTimeout(timer);
    timer = undefined;
    for (const [file, lease] of leases) end(file, lease);
    for (const { writer } of resting.values()) writer.close();
    resting.clear();
  }

  return {
    append: (journal, records) => appendWith(write, journal, records),
    write,
    close() {
      isClosed = true;
      letGo();
    },
  };
}

function opened(journal: Journal, lock: KeptLock): Kept {
  const warnings: IoFailure[] = [];
  return { writer: openJournal(journal, lock, (failure) => warnings.push(failure), "on rest"), warnings };
}
