/**
 * run.json: the run, and with it what its last change still owes: events for the log, files to be moved. It is written
 * first, in one rename; whoever comes next pays what a dead process left owing. So a change is there whole or not at all.
 * What it owes may be paid twice: a file that is moved away is not there the second time, and a place that is cleared is
 * never one that the same change fills.
 */
import { existsSync, rmdirSync } from "node:fs";
import { dirname, join, resolve, sep } from "node:path";
import { HoldfastError } from "../../core/errors.ts";
import type { Run } from "../run.ts";
import type { Change, FileChange, NewRunEvent, RunEvent } from "../store.ts";
import { codeOf, type Disk, ifPossible, readIfThere } from "./disk.ts";
import { appendEvents, endOfLog } from "./event-log.ts";
import { namesIn, runFile } from "./run-places.ts";

export interface StoredRun {
  readonly run: Run;
  /** Of the last change. */
  readonly events: readonly RunEvent[];
  readonly files: readonly FileChange[];
  /** Which task edits the last few changes were made within, the newest last. */
  readonly changes: readonly { readonly version: number; readonly within: readonly string[] }[];
}

export const logFile = (directory: string): string => join(directory, "run-events.jsonl");

export function readStored(directory: string): StoredRun | undefined {
  const path = runFile(directory);
  const text = readIfThere(path);
  if (text === undefined) return undefined;
  try {
    const stored = JSON.parse(text) as StoredRun;
    if (stored.run.schemaVersion !== 1) throw new Error(`its schemaVersion is ${stored.run.schemaVersion}, not 1`);
    return stored;
  } catch (error) {
    throw new HoldfastError("HF1028", `the run cannot be read: ${(error as Error).message}`, { file: path });
  }
}

/** Under the lock. */
export function writeStored(
  disk: Disk,
  directory: string,
  run: Run,
  change: Change,
  before: StoredRun | undefined,
  at: string,
): void {
  for (const file of change.files ?? []) requireInside(directory, file);
  const cursor = settle(disk, directory, before);
  const events = numbered(change.events ?? [], run.id, cursor, at);
  const changes = [...(before?.changes ?? []), { version: run.version, within: change.within ?? [] }];
  const stored: StoredRun = { run, events, files: change.files ?? [], changes: changes.slice(-KEPT_CHANGES) };
  disk.replace(runFile(directory), `${JSON.stringify(stored)}\n`);
  // It is stored by now: told that it failed, whoever made it would make it again.
  ifPossible(() => settle(disk, directory, stored));
}

/** Pays what a change still owes, the files first: they are somebody's bytes. Returns the last cursor of the log. */
export function settle(disk: Disk, directory: string, stored: StoredRun | undefined): number {
  for (const change of stored?.files ?? []) applyFileChange(disk, directory, change);
  const log = logFile(directory);
  const end = endOfLog(log);
  appendEvents(disk, log, end, stored?.events ?? []);
  return Math.max(end.cursor, stored?.events.at(-1)?.cursor ?? 0);
}

export function numbered(events: readonly NewRunEvent[], run: string, cursor: number, at: string): RunEvent[] {
  return events.map((event, index) => ({ cursor: cursor + index + 1, at, run, ...event }));
}

const KEPT_CHANGES = 64;

function applyFileChange(disk: Disk, directory: string, change: FileChange): void {
  const from = inside(directory, "remove" in change ? change.remove : change.from);
  // Not there: it was done before the process died.
  if (existsSync(from)) {
    if ("remove" in change) disk.remove(from);
    else disk.move(from, inside(directory, change.to));
  }
  removeIfEmpty(dirname(from), directory);
}

/** And what holds nothing but it. */
function removeIfEmpty(path: string, directory: string): void {
  if (path === directory || namesIn(path).length > 0) return;
  try {
    rmdirSync(path);
  } catch (error) {
    if (!["ENOENT", "ENOTEMPTY", "EEXIST"].includes(codeOf(error) ?? "")) throw error;
  }
  removeIfEmpty(dirname(path), directory);
}

/** Before anything is written: what is owed is paid by whoever comes next, however often. */
function requireInside(directory: string, change: FileChange): void {
  for (const path of "remove" in change ? [change.remove] : [change.from, change.to]) inside(directory, path);
}

function inside(directory: string, path: string): string {
  const full = resolve(directory, path);
  if (!full.startsWith(directory + sep)) throw new HoldfastError("HF1028", `${path} leads out of the run's directory`);
  return full;
}
