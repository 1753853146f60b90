/**
 * An edit of a task, around its hooks: tentative until all have accepted it, then stored with everything they changed.
 * No lock is held while they run; whoever was faster is seen when it is stored, and hooks are asked again if what they
 * judged by has changed. So a hook may edit the run it is asked about.
 */
import { randomBytes } from "node:crypto";
import { HoldfastError } from "../core/errors.ts";
import type { PhaseOutcome, Transition } from "./hooks/phase.ts";
import { isJudgedAlike } from "./merge.ts";
import { withPassiveStatus } from "./passive.ts";
import { changeByPhase } from "./phase-change.ts";
import type { RunPorts } from "./ports.ts";
import type { Run } from "./run.ts";
import type { NewRunEvent } from "./store.ts";
import type { Task, TaskEdit } from "./task.ts";
import { changedFields, checkGate, NESTED_IN, SOURCES, tooManyTasks, transitionOf } from "./task-change.ts";

export interface EditOptions {
  readonly signal?: AbortSignal;
  /** The loop's own edits: no gate stands in their way, and hooks see the source run-loop. */
  readonly byLoop?: { readonly lease: string };
}

export interface EditedTask {
  readonly run: Run;
  /** Null: it was deleted. */
  readonly task: Task | null;
  readonly isChanged: boolean;
}

/** Throws HF1025 where a hook rejected the edit: then what hooks changed besides is stored, the edit is not. */
export async function editTask(
  ports: RunPorts,
  id: string,
  edit: TaskEdit,
  options: EditOptions = {},
): Promise<EditedTask> {
  const { byLoop, signal = new AbortController().signal } = options;
  const outer = outerEdits(ports.env);
  if (outer.length >= MOST_NESTED) {
    throw new HoldfastError("HF1033", `hooks that edit tasks called each other ${MOST_NESTED} times (run ${id})`);
  }
  const within = [...outer, randomBytes(6).toString("hex")];
  const newTaskId = `cli-${randomBytes(3).toString("hex")}`;
  let transition: Transition | undefined;

  const { run, outcome } = await changeByPhase(ports, {
    id,
    momentOf(run) {
      if (!byLoop) checkGate(run, edit);
      if (edit.kind === "add" && tooManyTasks(run)) throw new HoldfastError("HF1036", "a run has at most 100 tasks");
      transition = transitionOf(run, edit, byLoop ? "run-loop" : SOURCES[edit.kind], newTaskId);
      return transition && { phase: "taskTransition", transition };
    },
    mustAskAgain: (base, _changed, fresh) => !isJudgedAlike(base, fresh),
    conclude: (merged, outcome) => concluded(merged, outcome, transition, ports.now().toISOString()),
    within,
    env: { [NESTED_IN]: within.join(","), HOLDFAST_RUN_ID: id },
    signal,
    ...(byLoop ? { lease: byLoop.lease } : {}),
  });
  if (outcome?.end.kind === "block") throw new HoldfastError("HF1025", outcome.end.reason);
  if (outcome?.end.kind === "error") {
    throw new HoldfastError(
      "HF1034",
      `hook ${outcome.end.hook} failed, so nothing was changed: ${outcome.end.message}`,
    );
  }
  const taskId = transition?.taskId ?? (edit.kind === "add" ? newTaskId : edit.task);
  return { run, task: run.tasks.find((task) => task.id === taskId) ?? null, isChanged: outcome !== undefined };
}

const MOST_NESTED = 5;

const outerEdits = (env: RunPorts["env"]): string[] => (env[NESTED_IN] ?? "").split(",").filter((part) => part !== "");

function concluded(
  merged: Run,
  outcome: PhaseOutcome,
  transition: Transition | undefined,
  at: string,
): { readonly next: Run; readonly events: readonly NewRunEvent[] } {
  if (outcome.end.kind === "error" || outcome.end.kind === "block") {
    const { hook } = outcome.end;
    const why = outcome.end.kind === "block" ? outcome.end.reason : outcome.end.message;
    const type = outcome.end.kind === "block" ? "task.edit_rejected" : "task.edit_failed";
    const data = { task: transition?.taskId ?? null, source: transition?.source ?? null, hook, reason: why };
    return { next: merged, events: [{ type, source: "hook", data }] };
  }
  const next = withPassiveStatus(merged, at);
  const ended: NewRunEvent[] =
    next.status === merged.status
      ? []
      : [{ type: "run.status_changed", source: "system", data: { from: merged.status, to: next.status } }];
  return { next, events: [...(transition ? [editedEvent(transition)] : []), ...ended] };
}

function editedEvent({ taskId, source, before, after }: Transition): NewRunEvent {
  const fields = before && after ? changedFields(before, after) : [];
  return {
    type: before === null ? "task.added" : after === null ? "task.deleted" : "task.edited",
    source: source === "run-loop" ? "system" : "task_command",
    data: {
      task: taskId,
      source,
      changedFields: fields,
      from: before && { status: before.status, notes: before.notes },
      to: after && { status: after.status, notes: after.notes },
    },
  };
}
