/**
 * Calls counted in sliding windows that all processes on this machine share. Looking and counting happen under one lock,
 * so that of any number of processes no more calls pass than the limit says.
 */
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { sha256 } from "../config/places.ts";
import { writePrivateFile } from "../config/private-file.ts";
import { makeDirectory } from "../files/make-directory.ts";
import type { Machine, Refusal, Turn, TurnLimit } from "../hooks/builtin.ts";
import { awaitFileLock, type HeldLock, type KeptLock, tryFileLock } from "../records/file-lock.ts";

/** A call that was let through: when, and a digest of its id. */
type Passed = readonly [atMs: number, id: string];

/** Who cannot have the lock by then is refused: a limit that is not looked at is none. */
const LOCK_WAIT_MS = 5_000;
/** Longer than any window: what is older counts for nothing. */
const KEPT_MS = 8 * 24 * 60 * 60 * 1000;

export interface TurnsOptions {
  /** Milliseconds of the wall clock, which all processes have in common. */
  readonly clock?: () => number;
  /** Only looked at, not counted: for who explains what would happen. */
  readonly rehearsal?: boolean;
}

export function sharedTurns(
  stateDir: string,
  { clock = Date.now, rehearsal = false }: TurnsOptions = {},
): Machine["takeTurn"] {
  const directory = join(stateDir, "rates");
  const lockFile = join(directory, "lock");
  const options = { waitMs: LOCK_WAIT_MS, createDirectory: true };
  const underLock = (lock: KeptLock, turn: Turn) => {
    try {
      return taken({ ...turn, id: sha256(turn.id) }, directory, clock(), rehearsal ? "look" : lock);
    } finally {
      lock.release();
    }
  };
  return (turn) => {
    const lock = tryFileLock(lockFile, options);
    return lock ? underLock(lock, turn) : awaitFileLock(lockFile, options).then((held) => underLock(held, turn));
  };
}

function taken({ id, limits }: Turn, directory: string, nowMs: number, lock: HeldLock | "look"): Refusal | undefined {
  const windows = limits.map((limit) => windowOf(limit, directory, nowMs));
  const refusals = windows.flatMap(({ limit, passed }): Refusal[] => {
    if (passed.some(([, other]) => other === id) || passed.length < limit.calls) return [];
    const frees = passed[passed.length - limit.calls]?.[0] ?? nowMs;
    return [{ limit, waitMs: frees + limit.windowMs - nowMs }];
  });
  const [longest] = refusals.sort((a, b) => b.waitMs - a.waitMs);
  if (longest || lock === "look") return longest;
  if (!lock.isHeld()) throw new Error("another process took the lock over before this call was counted");
  for (const { file, passed } of windows) {
    if (passed.some(([, other]) => other === id)) continue;
    if (!existsSync(file)) forgetOld(directory, nowMs);
    writePrivateFile(file, JSON.stringify([...passed, [nowMs, id]]));
  }
  return undefined;
}

interface Window {
  readonly limit: TurnLimit;
  readonly file: string;
  /** Within the window, the oldest first. */
  readonly passed: readonly Passed[];
}

function windowOf(limit: TurnLimit, directory: string, nowMs: number): Window {
  const file = join(directory, `${sha256(limit.key).slice(0, 32)}.json`);
  const all: readonly Passed[] = existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Passed[]) : [];
  // A clock that was set back must not keep calls waiting for longer than their window.
  const known = all.map(([atMs, id]): Passed => [Math.min(atMs, nowMs), id]);
  return { limit, file, passed: known.filter(([atMs]) => nowMs - atMs < limit.windowMs) };
}

/** Windows of users and tools that were not seen for long. */
function forgetOld(directory: string, nowMs: number): void {
  makeDirectory(directory, 0o700);
  for (const name of readdirSync(directory)) {
    const file = join(directory, name);
    const atMs = name.endsWith(".json") ? statSync(file, { throwIfNoEntry: false })?.mtimeMs : undefined;
    if (atMs !== undefined && nowMs - atMs > KEPT_MS) rmSync(file, { force: true });
  }
}
