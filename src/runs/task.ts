/** A task of a run, and what may be done to it when. */
import type { TaskStatus } from "../core/run-mutation.ts";
import type { RunStatus } from "./run.ts";

export { TASK_STATUSES, type TaskStatus } from "../core/run-mutation.ts";

export interface Task {
  readonly id: string;
  readonly title: string;
  readonly body: string;
  readonly status: TaskStatus;
  readonly notes: string;
}

/** Who edits: the sources a `when` can name. */
export const EDIT_SOURCES = ["task-set", "task-append-notes", "task-add", "task-delete", "run-loop"] as const;
export type EditSource = (typeof EDIT_SOURCES)[number];

export type TaskEdit =
  | { readonly kind: "set"; readonly task: string; readonly status?: TaskStatus; readonly notes?: string }
  | { readonly kind: "append-notes"; readonly task: string; readonly notes: string }
  | { readonly kind: "text"; readonly task: string; readonly title?: string; readonly body?: string }
  | { readonly kind: "add"; readonly id?: string; readonly title: string; readonly body: string }
  | { readonly kind: "delete"; readonly task: string };

type Deed = "status" | "notes" | "add" | "text";

/** What may be done while the run is in a state; a run without a backend is driven by its tasks, so it differs. */
const GATES: readonly {
  readonly isPassive: boolean;
  readonly statuses: readonly RunStatus[];
  readonly may: readonly Deed[];
}[] = [
  { isPassive: false, statuses: ["ready"], may: ["notes"] },
  { isPassive: false, statuses: ["running"], may: ["status", "notes", "add"] },
  { isPassive: true, statuses: ["running"], may: [] },
];

export function mayEdit(
  edit: TaskEdit,
  run: {
    readonly status: RunStatus;
    readonly isPassive: boolean;
    readonly isArchived: boolean;
    readonly areTasksLocked: boolean;
  },
): string | undefined {
  const deeds = deedsOf(edit);
  const structural = deeds.some((deed) => deed === "add" || deed === "text");
  if (structural && run.isArchived) return "the run is archived";
  if (structural && run.areTasksLocked) return "the assignment locks its tasks";
  const gate = GATES.find(({ isPassive, statuses }) => isPassive === run.isPassive && statuses.includes(run.status));
  const wrong = gate && deeds.find((deed) => !gate.may.includes(deed));
  return wrong && `while the run is ${run.status} ${IN_WORDS[wrong]}`;
}

const IN_WORDS: Readonly<Record<Deed, string>> = {
  status: "no task's status can be set",
  notes: "no notes can be taken",
  add: "no task can be added",
  text: "no task can be rewritten or deleted",
};

function deedsOf(edit: TaskEdit): Deed[] {
  switch (edit.kind) {
    case "set":
      return [
        ...(edit.status === undefined ? [] : ["status" as const]),
        ...(edit.notes === undefined ? [] : ["notes" as const]),
      ];
    case "append-notes":
      return ["notes"];
    case "add":
      return ["add"];
    case "text":
    case "delete":
      return ["text"];
  }
}
