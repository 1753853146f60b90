/** A change that was made from an older version of a run, carried over to the newer one. */
import { type Json, type JsonObject, sameJson } from "../core/json.ts";
import type { Run } from "./run.ts";
import type { Task } from "./task.ts";

/**
 * `changed` was made from `base`; meanwhile the run became `fresh`. What was changed is taken, what was not is left as it
 * is now. State goes key by key, tasks by id and field, notes that were added to are added to again.
 */
export function mergeRun(base: Run, changed: Run, fresh: Run): Run {
  const merged: Record<string, unknown> = { ...fresh };
  for (const key of Object.keys(changed) as (keyof Run)[]) {
    if (!same(base[key], changed[key])) merged[key] = changed[key];
  }
  return {
    ...(merged as unknown as Run),
    settings: { ...fresh.settings, ...changedKeys(base.settings, changed.settings) },
    state: { ...fresh.state, ...(changedKeys(base.state, changed.state) as JsonObject) },
    tasks: mergeTasks(base.tasks, changed.tasks, fresh.tasks),
    attachments: mergeById(base.attachments, changed.attachments, fresh.attachments, (_, mine) => mine),
    hookAudits: fresh.hookAudits,
  };
}

/** Whether both changed the same thing, each without knowing of the other: state by key, tasks by status. */
export function clashes(base: Run, changed: Run, fresh: Run): boolean {
  const mine = changedKeys(base.state, changed.state);
  const theirs = changedKeys(base.state, fresh.state);
  if (Object.keys(mine).some((key) => key in theirs && !sameJson(mine[key] ?? null, theirs[key] ?? null))) return true;
  const statusIn = (run: Run, id: string) => run.tasks.find((task) => task.id === id)?.status;
  return base.tasks.some(({ id, status }) => {
    const [ours, other] = [statusIn(changed, id), statusIn(fresh, id)];
    return ours !== status && other !== status && ours !== other;
  });
}

/** What hooks of a task edit may have judged by, whatever they answered. Notes are not among it: they only grow. */
export function isJudgedAlike(one: Run, other: Run): boolean {
  return same(judgedBy(one), judgedBy(other));
}

const judgedBy = (run: Run) => ({
  status: run.status,
  isArchived: run.isArchived,
  settings: run.settings,
  lockedFields: run.lockedFields,
  vars: run.vars,
  state: run.state,
  tasks: run.tasks.map(({ id, status, title, body }) => ({ id, status, title, body })),
});

function changedKeys<T extends object>(base: T, changed: T): Partial<T> {
  const keys = Object.keys(changed) as (keyof T)[];
  return Object.fromEntries(
    keys.filter((key) => !same(base[key], changed[key])).map((key) => [key, changed[key]]),
  ) as Partial<T>;
}

const mergeTasks = (base: readonly Task[], changed: readonly Task[], fresh: readonly Task[]): readonly Task[] =>
  mergeById(base, changed, fresh, (before, mine, theirs) => ({
    ...theirs,
    ...changedKeys(before, mine),
    notes: mergeNotes(before.notes, mine.notes, theirs.notes),
  }));

function mergeNotes(before: string, mine: string, theirs: string): string {
  if (mine === before) return theirs;
  if (theirs === before || !mine.startsWith(before)) return mine;
  const added = mine.slice(before.length).replace(/^\n/, "");
  return theirs === "" ? added : `${theirs}\n${added}`;
}

function mergeById<T extends { readonly id: string }>(
  base: readonly T[],
  changed: readonly T[],
  fresh: readonly T[],
  both: (before: T, mine: T, theirs: T) => T,
): readonly T[] {
  const before = new Map(base.map((item) => [item.id, item]));
  const mine = new Map(changed.map((item) => [item.id, item]));
  const kept = fresh.flatMap((theirs) => {
    const [was, is] = [before.get(theirs.id), mine.get(theirs.id)];
    if (!was) return [theirs];
    if (!is) return [];
    return [same(was, is) ? theirs : both(was, is, theirs)];
  });
  const there = new Set(fresh.map(({ id }) => id));
  return [...kept, ...changed.filter(({ id }) => !before.has(id) && !there.has(id))];
}

const same = (one: unknown, other: unknown) => one === other || sameJson(plain(one), plain(other));

const plain = (value: unknown): Json => (value ?? null) as Json;
