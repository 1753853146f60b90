/** Deletes traces that are older than they are kept for. Nodes, session logs and what was decided are never touched. */
import { type Dirent, readdirSync, rmSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import type { KnowledgePlaces } from "../places.ts";

export interface Pruned {
  /** From the project's root down. */
  readonly deleted: readonly string[];
  readonly bytes: number;
}

const DAY_MS = 24 * 60 * 60 * 1000;
/** What a killed writer left: by then nobody writes it any more. */
const LEFTOVER_MS = 60 * 60 * 1000;

export function pruneLogs(places: KnowledgePlaces, retentionDays: number, nowMs: number, dryRun = false): Pruned {
  const old = [
    ...filesBelow(places.logsDir, (name) => TRACE.test(name)).map((file) => ({ file, maxMs: retentionDays * DAY_MS })),
    ...filesBelow(places.dir, (name) => LEFTOVER.test(name)).map((file) => ({ file, maxMs: LEFTOVER_MS })),
  ].flatMap(({ file, maxMs }) => {
    const stat = statSync(file, { throwIfNoEntry: false });
    return stat && nowMs - stat.mtimeMs > maxMs ? [{ file, size: stat.size }] : [];
  });
  if (!dryRun) for (const { file } of old) rmSync(file, { force: true });
  return {
    deleted: old.map(({ file }) => relative(places.root, file)),
    bytes: old.reduce((sum, { size }) => sum + size, 0),
  };
}

const TRACE = /\.(?:jsonl|log)$/;
const LEFTOVER = /^\..+\.tmp$/;

/** Links are not followed. */
function filesBelow(dir: string, isWanted: (name: string) => boolean): string[] {
  let entries: Dirent[];
  try {
    entries = readdirSync(dir, { withFileTypes: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
  return entries
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(dir, entry.name);
      if (entry.isDirectory()) return filesBelow(path, isWanted);
      return entry.isFile() && isWanted(entry.name) ? [path] : [];
    });
}
