import { closeSync, constants, existsSync, fstatSync, openSync, readSync, unlinkSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { makeDirectory } from "../files/make-directory.ts";
import { isKnownDead, processScope } from "../process/process-scope.ts";
import { isSilent } from "../process/silence.ts";
import { codeOf } from "./io-failure.ts";
import { monotonicMs } from "./monotonic.ts";

// Why not proper-lockfile: it brings dependencies, keeps a lock alive with timers, and its synchronous form cannot wait.
// A hook is one short synchronous process, so the lock is a file created with O_EXCL that names its holder.
// A lock whose holder is dead is removed only under `<lock>.steal`, itself such a lock, after a second look: nobody but
// its dead holder or the one stealer could have removed it meanwhile, so two stealers can never remove a live lock.

export interface FileLockOptions {
  readonly waitMs?: number;
  /** A lock this old belongs to nobody, even if its process id is alive: the id was given to another process. */
  readonly staleMs?: number;
  readonly createDirectory?: boolean;
}

export interface HeldLock {
  /** False once somebody took the lock for stale. To be asked right before a write that needs the lock. */
  isHeld(): boolean;
}

export class LockTimeoutError extends Error {
  readonly code = "LOCK_TIMEOUT";
  readonly path: string;
  constructor(path: string, waitMs: number, pid: number | undefined) {
    const holder = pid === undefined ? "another process" : `process ${pid}`;
    super(`${path} stayed locked by ${holder} for ${waitMs} ms; delete the file if no such process is running`);
    this.name = "LockTimeoutError";
    this.path = path;
  }
}

/** A lock that is kept beyond one piece of work; whoever takes it must release it soon. */
export interface KeptLock extends HeldLock {
  release(): void;
}

/** undefined: somebody holds it. */
export function tryFileLock(path: string, options: FileLockOptions): KeptLock | undefined {
  const lock = tryCreate(path, options.createDirectory ?? false);
  return lock && kept(lock);
}

/** For a process that has other things to do meanwhile. */
export async function awaitFileLock(path: string, options: FileLockOptions): Promise<KeptLock> {
  const wait = waitFor(path, options);
  for (;;) {
    await new Promise((done) => setTimeout(done, wait.pauseMs()));
    const lock = wait.look();
    if (lock) return kept(lock);
  }
}

const kept = (lock: Lock): KeptLock => ({ isHeld: () => lock.isHeld(), release: () => release(lock) });

export function withFileLock<T>(path: string, options: FileLockOptions, work: (lock: HeldLock) => T): T {
  const lock = acquire(path, options);
  try {
    return work(lock);
  } finally {
    release(lock);
  }
}

const DEFAULT_WAIT_MS = 5_000;
const DEFAULT_STALE_MS = 30_000;
const FIRST_SLEEP_MS = 0.2;
const LONGEST_SLEEP_MS = 8;
const LOOK_AT_HOLDER_EVERY_MS = 20;
// A clock that jumps (a laptop that slept) makes a live lock look old: it must also stay put under our eyes this long.
// Less than anybody waits: a lock that no waiter watches for long enough would stay for ever.
const WATCH_MS = 500;

const LONGEST_SIGNATURE_BYTES = 1024;

interface Lock extends HeldLock {
  readonly path: string;
  readonly descriptor: number;
}

interface Holder {
  /** Tells this very lock file from a later one at the same path. */
  readonly identity: string;
  readonly pid: number | undefined;
  readonly scope: string | undefined;
  readonly createdAtMs: number;
}

function acquire(path: string, options: FileLockOptions): Lock {
  const free = tryCreate(path, options.createDirectory ?? false);
  if (free) return free;
  const wait = waitFor(path, options);
  for (;;) {
    sleep(wait.pauseMs());
    const lock = wait.look();
    if (lock) return lock;
  }
}

interface Wait {
  /** How long to pause before the next look. */
  pauseMs(): number;
  /** Throws when the time is over. */
  look(): Lock | undefined;
}

function waitFor(path: string, options: FileLockOptions): Wait {
  const { waitMs = DEFAULT_WAIT_MS, staleMs = DEFAULT_STALE_MS } = options;
  const startedAtMs = monotonicMs();
  let sleepMs = FIRST_SLEEP_MS;
  let lookAtMs = startedAtMs + LOOK_AT_HOLDER_EVERY_MS;
  let watched: { holder: Holder; sinceMs: number } | undefined;

  return {
    pauseMs() {
      const pauseMs = sleepMs * (0.5 + Math.random());
      sleepMs = Math.min(sleepMs * 2, LONGEST_SLEEP_MS);
      return pauseMs;
    },
    look() {
      // Looking first, since a creation that fails costs ten times as much.
      const lock = existsSync(path) ? undefined : tryCreate(path, false);
      if (lock) return lock;

      const nowMs = monotonicMs();
      const isLate = nowMs - startedAtMs >= waitMs;
      if (nowMs >= lookAtMs || isLate) {
        lookAtMs = nowMs + LOOK_AT_HOLDER_EVERY_MS;
        const holder = readHolder(path);
        if (holder && holder.identity !== watched?.holder.identity) watched = { holder, sinceMs: nowMs };
        if (holder && watched && isStale(holder, nowMs - watched.sinceMs, staleMs)) {
          steal(path, holder);
          const stolen = tryCreate(path, false);
          if (stolen) return stolen;
        }
      }
      if (isLate) throw new LockTimeoutError(path, waitMs, watched?.holder.pid);
      return undefined;
    },
  };
}

function tryCreate(path: string, createDirectory: boolean): Lock | undefined {
  let descriptor: number;
  try {
    descriptor = openSync(path, "wx", 0o600);
  } catch (error) {
    const code = codeOf(error);
    if (code === "EEXIST") return undefined;
    if (code !== "ENOENT" || !createDirectory) throw error;
    makeDirectory(dirname(path), 0o700);
    return tryCreate(path, false);
  }
  const lock = { path, descriptor, isHeld: () => fstatSync(descriptor).nlink > 0 };
  try {
    writeSync(descriptor, `${process.pid} ${processScope()} ${process.hrtime.bigint()}`);
  } catch (error) {
    release(lock);
    throw error;
  }
  if (lock.isHeld()) return lock;
  closeSync(descriptor);
  return undefined;
}

function release(lock: Lock): void {
  // The work is done by now: a lock that cannot be removed is the next waiter's to report.
  try {
    if (lock.isHeld()) unlinkSync(lock.path);
  } catch {}
  closeSync(lock.descriptor);
}

/** Removes the lock if it is still the one that was judged stale. A dead stealer's own lock is stolen the same way. */
function steal(path: string, stale: Holder): void {
  const stealPath = `${path}.steal`;
  const stealLock = tryCreate(stealPath, false);
  if (!stealLock) {
    const stealer = readHolder(stealPath);
    if (stealer && isStale(stealer, WATCH_MS, DEFAULT_STALE_MS)) steal(stealPath, stealer);
    return;
  }
  try {
    if (readHolder(path)?.identity === stale.identity && stealLock.isHeld()) unlinkSync(path);
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error;
  } finally {
    release(stealLock);
  }
}

function isStale(holder: Holder, watchedMs: number, staleMs: number): boolean {
  if (holder.pid !== undefined && isKnownDead(holder.pid, holder.scope)) return true;
  // Its creator died, or sleeps, between creating and signing it; a sleeper finds out when it has signed.
  if (holder.pid === undefined && watchedMs >= WATCH_MS) return true;
  return isSilent(holder.createdAtMs, Date.now(), staleMs, holder.scope) && watchedMs >= Math.min(WATCH_MS, staleMs);
}

function readHolder(path: string): Holder | undefined {
  let descriptor: number;
  try {
    // Not blocking: somebody may have put a pipe there.
    descriptor = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
  try {
    const { ino, mtimeMs } = fstatSync(descriptor);
    const bytes = Buffer.alloc(LONGEST_SIGNATURE_BYTES);
    const text = bytes.toString("utf8", 0, readSync(descriptor, bytes));
    const [, pid, scope] = /^(\d+) (\S+) \d+$/.exec(text) ?? [];
    return {
      identity: `${ino} ${mtimeMs} ${text}`,
      pid: pid === undefined ? undefined : Number(pid),
      scope,
      createdAtMs: mtimeMs,
    };
  } finally {
    closeSync(descriptor);
  }
}

let sleeper: Int32Array | undefined;

function sleep(durationMs: number): void {
  sleeper ??= new Int32Array(new SharedArrayBuffer(4));
  Atomics.wait(sleeper, 0, 0, durationMs);
}
