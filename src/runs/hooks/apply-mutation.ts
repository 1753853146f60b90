/** A run with what a hook changes in it. Pure: the files of attachments are somebody else's. */
import { nearest } from "../../core/nearest.ts";
import type { Mutation, TaskPatch } from "../mutation.ts";
import type { Attachment, Capability, LockableField, Phase, Run, RunVar } from "../run.ts";
import type { Task } from "../task.ts";
import { invalid } from "./mutation-schema.ts";

export interface MutationRights {
  readonly phase: Phase;
  /** null: everything the phase allows that is not locked. */
  readonly may: readonly Capability[] | null;
}

/**
 * Throws HookFailure("invalid-answer") where the hook may not, or names what is not there; then nothing of it is applied.
 * `attachments`: the run's, after what the mutation changes of them.
 */
export function applyMutation(
  run: Run,
  mutation: Mutation,
  rights: MutationRights,
  attachments: readonly Attachment[] = run.attachments,
): Run {
  assertGranted(mutation, rights);
  assertOfPhase(mutation, rights.phase);
  if (!rights.may?.includes("locked")) assertNotLocked(mutation, run.lockedFields);
  const { run: changes = {}, vars, state, note, pinned, patchTasks = [] } = mutation;
  const { lockedFields, initialPrompt: _initial, attemptPrompt: _attempt, ...settings } = changes;
  return {
    ...run,
    settings: { ...run.settings, ...settings },
    ...(lockedFields ? { lockedFields } : {}),
    ...(vars ? { vars: { ...run.vars, ...asRunVars(vars) } } : {}),
    ...(state ? { state: { ...run.state, ...state } } : {}),
    ...(note === undefined ? {} : { note: note?.trim() ? note : null }),
    ...(pinned === undefined ? {} : { isPinned: pinned }),
    tasks: patchTasks.reduce(patched, run.tasks),
    attachments,
  };
}

/** What a mutation needs the right to. */
const NEEDS: { readonly [K in keyof Mutation]-?: Capability } = {
  run: "run",
  vars: "vars",
  state: "state",
  note: "note",
  pinned: "note",
  patchTasks: "tasks",
  attachments: "attachments",
};

function assertGranted(mutation: Mutation, { may }: MutationRights): void {
  for (const key of Object.keys(mutation) as (keyof Mutation)[]) {
    if (mutation[key] === undefined || may === null || may.includes(NEEDS[key])) continue;
    throw invalid(`it may not change ${key}: its entry grants ${may.join(", ") || "nothing"} (may)`);
  }
}

function assertOfPhase({ vars, run }: Mutation, phase: Phase): void {
  if (vars && phase !== "prepare") throw invalid("variables can be set in prepare only; keep it in state instead");
  if (run?.initialPrompt !== undefined && phase !== "prepare") {
    throw invalid(`the first prompt was written before ${phase}; run.initialPrompt belongs to prepare`);
  }
  if (run?.attemptPrompt !== undefined && phase !== "beforeAttempt" && phase !== "afterAttempt") {
    throw invalid(
      `${phase} has no attempt whose prompt it could set; run.attemptPrompt belongs to beforeAttempt and afterAttempt`,
    );
  }
}

/** Also a hook does not change what is locked. It may lock more, never less. */
function assertNotLocked({ run: changes = {}, patchTasks = [] }: Mutation, locked: readonly LockableField[]): void {
  const fields: LockableField[] = [
    ...(["cwd", "backend", "model", "effort", "timeoutSec", "unrestricted"] as const).filter(
      (field) => changes[field] !== undefined,
    ),
    ...(changes.initialPrompt === undefined ? [] : (["instructions", "message"] as const)),
    ...(patchTasks.length > 0 ? (["tasks"] as const) : []),
    ...(changes.lockedFields ? locked.filter((field) => !changes.lockedFields?.includes(field)) : []),
  ];
  const field = fields.find((name) => locked.includes(name));
  if (field) throw invalid(`${field} is locked; a hook that may change it says so in its entry (may: [locked, …])`);
}

const asRunVars = (vars: NonNullable<Mutation["vars"]>): Readonly<Record<string, RunVar>> =>
  Object.fromEntries(Object.entries(vars).map(([key, value]) => [key, { source: "prepare", value }]));

function patched(tasks: readonly Task[], { taskId, status, notesReplace, notesAppend }: TaskPatch): readonly Task[] {
  if (!tasks.some(({ id }) => id === taskId)) {
    const meant = nearest(
      taskId,
      tasks.map(({ id }) => id),
    );
    throw invalid(`it patches task "${taskId}", which is not there${meant ? `; did you mean ${meant}?` : ""}`);
  }
  return tasks.map((task) =>
    task.id === taskId
      ? { ...task, status: status ?? task.status, notes: notesReplace ?? appended(task.notes, notesAppend) }
      : task,
  );
}

export const appended = (notes: string, more: string | undefined): string =>
  more === undefined ? notes : [notes, more].filter((part) => part !== "").join("\n");
