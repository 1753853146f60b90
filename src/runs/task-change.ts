/** What an edit makes of a task, before anybody is asked. */
import { HoldfastError } from "../core/errors.ts";
import { nearest } from "../core/nearest.ts";
import type { Transition } from "./hooks/phase.ts";
import { isPassive } from "./passive.ts";
import type { Run } from "./run.ts";
import { type EditSource, mayEdit, type Task, type TaskEdit } from "./task.ts";

/** Names the edits a process was started within, outermost first. */
export const NESTED_IN = "HOLDFAST_TASK_EDIT";

/** Undefined: the edit changes nothing. Throws where it cannot be made. */
export function transitionOf(run: Run, edit: TaskEdit, source: EditSource, newTaskId: string): Transition | undefined {
  const before = edit.kind === "add" ? null : taskOf(run, edit.task);
  const after = taskAfter(before, edit, newTaskId);
  if (edit.kind === "add" && run.tasks.some(({ id }) => id === after?.id)) {
    throw new HoldfastError("HF1036", `there is a task ${after?.id} already`);
  }
  if (before && after && changedFields(before, after).length === 0) return undefined;
  return { taskId: (before ?? after)?.id ?? "", source, before, after };
}

/** Throws where the run's state does not allow the edit. */
export function checkGate(run: Run, edit: TaskEdit): void {
  const problem = mayEdit(edit, {
    status: run.status,
    isPassive: isPassive(run),
    isArchived: run.isArchived,
    areTasksLocked: run.lockedFields.includes("tasks"),
  });
  if (problem) throw new HoldfastError("HF1023", `${problem} (run ${run.id})`);
}

export function taskOf(run: Run, id: string): Task {
  const task = run.tasks.find((each) => each.id === id);
  if (task) return task;
  const close = nearest(
    id,
    run.tasks.map((each) => each.id),
  );
  throw new HoldfastError(
    "HF1035",
    `run ${run.id} has no task ${JSON.stringify(id)}`,
    close === undefined ? {} : { hint: `did you mean ${close}?` },
  );
}

export const changedFields = (before: Task, after: Task): ("status" | "notes" | "title" | "body")[] =>
  (["status", "notes", "title", "body"] as const).filter((field) => before[field] !== after[field]);

/** "a-set" of an edit: the source a hook's `when` names. */
export const SOURCES: Readonly<Record<TaskEdit["kind"], EditSource>> = {
  set: "task-set",
  text: "task-set",
  "append-notes": "task-append-notes",
  add: "task-add",
  delete: "task-delete",
};

const MAX_TITLE_CHARACTERS = 200;
const MAX_TASKS = 100;
const TASK_ID = /^[A-Za-z0-9._:/-]{1,128}$/;

export const tooManyTasks = (run: Run): boolean => run.tasks.length >= MAX_TASKS;

function taskAfter(before: Task | null, edit: TaskEdit, newTaskId: string): Task | null {
  switch (edit.kind) {
    case "add": {
      const id = edit.id ?? newTaskId;
      if (!TASK_ID.test(id)) throw new HoldfastError("HF1036", `${JSON.stringify(id)} is no id for a task`);
      return { id, title: checkedTitle(edit.title), body: edit.body, status: "pending", notes: "" };
    }
    case "delete":
      return null;
    case "append-notes": {
      const added = edit.notes.trim();
      if (added === "") throw new HoldfastError("HF1036", "there are no notes to append");
      return before && { ...before, notes: before.notes === "" ? added : `${before.notes}\n${added}` };
    }
    case "set":
      return before && { ...before, status: edit.status ?? before.status, notes: edit.notes ?? before.notes };
    case "text":
      return (
        before && {
          ...before,
          title: edit.title === undefined ? before.title : checkedTitle(edit.title),
          body: edit.body ?? before.body,
        }
      );
  }
}

function checkedTitle(title: string): string {
  const trimmed = title.trim();
  if (trimmed === "" || trimmed.length > MAX_TITLE_CHARACTERS || /[\r\n]/.test(trimmed)) {
    throw new HoldfastError("HF1036", `a title is one line of 1 to ${MAX_TITLE_CHARACTERS} characters`);
  }
  return trimmed;
}
