/**
 * What `list` shows of each run, so that ten thousand manifests need not be read. Never the truth: each line carries the
 * stamp of the run.json it was made from, and one that does not fit is made anew. Deleting the file loses nothing.
 */
import { type BigIntStats, existsSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Run } from "../run.ts";
import type { RunQuery, RunSummary } from "../store.ts";
import { codeOf, type Disk, ifPossible, readIfThere } from "./disk.ts";
import { sweepReservation } from "./reservation.ts";
import { readStored } from "./run-file.ts";
import { allRuns, bucketOf, type FoundRun, runFile } from "./run-places.ts";

export interface IndexLine {
  readonly directory: string;
  readonly stamp: string;
  readonly summary: RunSummary;
}

/** A line that is missing is made anew when somebody lists: what cannot be noted fails nothing. */
export function noteInIndex(disk: Disk, root: string, directory: string, run: Run): void {
  const stamp = stampOf(directory);
  if (stamp === undefined) return;
  const line: IndexLine = { directory: directory.slice(root.length + 1), stamp, summary: summaryOf(run) };
  ifPossible(() => disk.appendUnsynced(indexFile(root), `${JSON.stringify(line)}\n`));
}

/** Newest first. Order goes by a run's creation, which never changes, so only as many are looked at as are shown. */
export function listRuns(disk: Disk, root: string, query: RunQuery): readonly RunSummary[] {
  const { lines, count } = readIndex(root);
  const found = allRuns(root, query.repo);
  const entries = found.map((run) => ({ run, known: lines.get(run.directory.slice(root.length + 1)) }));
  const fresh: { directory: string; run: Run }[] = [];
  const summaries = entries
    .map(({ run, known }) => known ?? readAnew(run, fresh))
    .filter((line) => line !== undefined)
    .sort((one, other) => byAge(one.summary, other.summary));

  const shown: RunSummary[] = [];
  for (const line of summaries) {
    if (shown.length >= (query.limit ?? Number.POSITIVE_INFINITY)) break;
    if (query.after && byAge(query.after, line.summary) >= 0) continue;
    const directory = join(root, line.directory);
    const isFresh = line.stamp === "" || stampOf(directory) === line.stamp;
    const summary = isFresh ? line.summary : readAnew({ id: line.summary.id, directory }, fresh)?.summary;
    if (summary && matches(summary, query)) shown.push(summary);
  }
  for (const { directory, run } of fresh) noteInIndex(disk, root, directory, run);
  if (count > 2 * lines.size + SPARE_LINES) compact(disk, root, lines);
  return shown;

  function readAnew(run: FoundRun, noted: { directory: string; run: Run }[]): IndexLine | undefined {
    const line = readSummary(run);
    if (line && "run" in line) noted.push({ directory: run.directory, run: line.run });
    return line && { directory: run.directory.slice(root.length + 1), stamp: "", summary: line.summary };
  }
}

/** Ids part those of one moment, so that pages of a list meet without a gap. */
export const byAge = (
  one: Pick<RunSummary, "createdAt" | "id">,
  other: Pick<RunSummary, "createdAt" | "id">,
): number => {
  if (one.createdAt !== other.createdAt) return one.createdAt < other.createdAt ? 1 : -1;
  return one.id < other.id ? 1 : one.id > other.id ? -1 : 0;
};

export function readSummary({ id, directory }: FoundRun): { summary: RunSummary; run?: Run } | undefined {
  try {
    const stored = readStored(directory);
    if (!stored) sweepReservation(directory);
    return stored && { summary: summaryOf(stored.run), run: stored.run };
  } catch (error) {
    const repo = directory.split("/").at(-2) ?? "unknown";
    return { summary: { ...UNREADABLE, id, repo, problem: (error as Error).message } };
  }
}

/** A run that cannot be read is shown as such: it never vanishes from a list. */
const UNREADABLE: Omit<RunSummary, "id" | "repo"> = {
  status: "error",
  name: null,
  assignment: null,
  group: null,
  parentRun: null,
  isArchived: false,
  isPinned: false,
  tasksCompleted: 0,
  tasksTotal: 0,
  hooks: 0,
  createdAt: "",
  updatedAt: "",
};

export function summaryOf(run: Run): RunSummary {
  const { id, repo, status, name, group, parentRun, isArchived, isPinned, createdAt, updatedAt } = run;
  return {
    id,
    repo,
    status,
    name,
    assignment: run.assignment?.name ?? null,
    group,
    parentRun,
    isArchived,
    isPinned,
    tasksCompleted: run.tasks.filter((task) => task.status === "completed").length,
    tasksTotal: run.tasks.length,
    hooks: run.hooks.length,
    createdAt,
    updatedAt,
  };
}

/** Of a run that cannot be read nobody knows whether it matches: it is shown. */
export const matches = (summary: RunSummary, query: RunQuery): boolean =>
  (query.repo === undefined || bucketOf(summary.repo) === bucketOf(query.repo)) &&
  (summary.problem !== undefined || isWanted(summary, query));

const isWanted = (summary: RunSummary, query: RunQuery): boolean =>
  (query.statuses === undefined || query.statuses.includes(summary.status)) &&
  (query.group === undefined || summary.group === query.group) &&
  (query.parentRun === undefined || summary.parentRun === query.parentRun) &&
  (query.includeArchived === true || !summary.isArchived) &&
  (query.search === undefined || hasWords(summary, query.search));

/** What words are looked for in, wherever runs are kept. */
export const searchedText = ({ id, name, assignment, group, repo }: RunSummary): string =>
  [id, name, assignment, group, repo].join("\n").toLowerCase();

const hasWords = (summary: RunSummary, search: string): boolean => {
  const text = searchedText(summary);
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
};

/** More than two lines for each run, and these on top, are too many. */
const SPARE_LINES = 1_000;

function compact(disk: Disk, root: string, lines: ReadonlyMap<string, IndexLine>): void {
  const kept = [...lines.values()].filter(({ directory }) => existsSync(join(root, directory)));
  // A line that another process adds meanwhile is lost, and made anew when it is missed.
  ifPossible(() => disk.replaceUnsynced(indexFile(root), kept.map((line) => `${JSON.stringify(line)}\n`).join("")));
}

export const indexFile = (root: string) => join(root, "index.jsonl");

function readIndex(root: string): { lines: Map<string, IndexLine>; count: number } {
  const lines = new Map<string, IndexLine>();
  const texts = (readIfThere(indexFile(root)) ?? "").split("\n");
  for (const text of texts) {
    const line = parsedLine(text);
    if (line) lines.set(line.directory, line);
  }
  return { lines, count: texts.length };
}

export function parsedLine(text: string): IndexLine | undefined {
  if (text === "") return undefined;
  try {
    const line = JSON.parse(text) as IndexLine | null;
    return typeof line?.directory === "string" && typeof line.summary?.createdAt === "string" ? line : undefined;
  } catch {
    return undefined;
  }
}

export function stampOf(directory: string): string | undefined {
  try {
    const { ino, mtimeNs, size }: BigIntStats = statSync(runFile(directory), { bigint: true });
    return `${ino} ${mtimeNs} ${size}`;
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}
