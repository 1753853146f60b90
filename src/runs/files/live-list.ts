/**
 * The list of runs for a process that shows it again and again: what the index says is kept in memory, and only what was
 * added to the index since is read. What is shown is compared with the run itself, as `listRuns` does.
 */
import { type BigIntStats, closeSync, openSync, readSync, statSync } from "node:fs";
import { join } from "node:path";
import type { RunQuery, RunSummary } from "../store.ts";
import { byAge, type IndexLine, indexFile, matches, parsedLine, readSummary, stampOf } from "./run-index.ts";
import { isRunId, namesIn } from "./run-places.ts";

export function liveRunList(root: string): (query: RunQuery) => readonly RunSummary[] {
  const lines = new Map<string, IndexLine>();
  /** Of each repository's directory, the runs in it, as they were at that stamp. */
  const repositories = new Map<string, { readonly stamp: bigint; readonly runs: readonly string[] }>();
  /** Directories that no line of the index is about. */
  let unlisted: string[] = [];
  let newestFirst: IndexLine[] = [];
  let index = { inode: 0n, bytes: 0 };

  return (query) => {
    catchUp();
    const shown: RunSummary[] = [];
    for (const line of newestFirst) {
      if (shown.length >= (query.limit ?? Number.POSITIVE_INFINITY)) break;
      if (query.after && byAge(query.after, line.summary) >= 0) continue;
      if (!matches(line.summary, query)) continue;
      const summary = current(line);
      if (summary && matches(summary, query)) shown.push(summary);
    }
    return shown;
  };

  function catchUp(): void {
    const isChanged = [readIndexOn(), readRepositories()].includes(true);
    if (!isChanged && unlisted.length === 0) return;
    const directories = [...repositories].flatMap(([name, { runs }]) => runs.map((id) => join(name, id)));
    const known: IndexLine[] = [];
    unlisted = [];
    for (const directory of directories) {
      const line = lines.get(directory) ?? readAnew(directory);
      if (line) known.push(line);
      else unlisted.push(directory);
    }
    newestFirst = known.sort((one, other) => byAge(one.summary, other.summary));
  }

  /** What was added to the index since; all of it where another file took its place. */
  function readIndexOn(): boolean {
    const file = indexFile(root);
    const found: BigIntStats | undefined = statSync(file, { bigint: true, throwIfNoEntry: false });
    if (!found) return false;
    if (found.ino !== index.inode || Number(found.size) < index.bytes) {
      lines.clear();
      index = { inode: found.ino, bytes: 0 };
    }
    if (Number(found.size) === index.bytes) return false;
    const text = textFrom(file, index.bytes, Number(found.size) - index.bytes);
    const whole = text.lastIndexOf(NEWLINE) + 1;
    for (const added of text.toString("utf8", 0, whole).split("\n")) {
      const line = parsedLine(added);
      if (line) lines.set(line.directory, line);
    }
    index = { ...index, bytes: index.bytes + whole };
    return whole > 0;
  }

  function readRepositories(): boolean {
    const names = namesIn(root).filter((name) => !name.startsWith(".") && name !== "index.jsonl");
    let isChanged = false;
    for (const name of repositories.keys()) if (!names.includes(name)) isChanged = repositories.delete(name);
    for (const name of names) {
      const stamp = statSync(join(root, name), { bigint: true, throwIfNoEntry: false })?.mtimeNs;
      if (stamp === undefined || repositories.get(name)?.stamp === stamp) continue;
      repositories.set(name, { stamp, runs: namesIn(join(root, name)).filter(isRunId) });
      isChanged = true;
    }
    return isChanged;
  }

  /** The line, made anew where the run has changed since. Undefined: the run is gone. */
  function current(line: IndexLine): RunSummary | undefined {
    if (stampOf(join(root, line.directory)) === line.stamp) return line.summary;
    return readAnew(line.directory)?.summary;
  }

  /** One that cannot be read is not kept: it may be mended. */
  function readAnew(directory: string): IndexLine | undefined {
    const full = join(root, directory);
    const stamp = stampOf(full);
    const found = readSummary({ id: directory.slice(directory.lastIndexOf("/") + 1), directory: full });
    if (!found) return undefined;
    const line = { directory, stamp: stamp ?? "", summary: found.summary };
    if (found.run) lines.set(directory, line);
    return line;
  }
}

const NEWLINE = 0x0a;

function textFrom(file: string, start: number, length: number): Buffer {
  const handle = openSync(file, "r");
  try {
    const buffer = Buffer.alloc(length);
    return buffer.subarray(0, readSync(handle, buffer, 0, length, start));
  } finally {
    closeSync(handle);
  }
}
