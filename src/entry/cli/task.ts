/** `holdfast task`: the tasks of a run, for agents that work on it and for people. Hooks judge every edit. */
import { HoldfastError } from "../../core/errors.ts";
import { nearest } from "../../core/nearest.ts";
import { editTask } from "../../runs/edit-task.ts";
import { isPassive } from "../../runs/passive.ts";
import type { Run } from "../../runs/run.ts";
import { mayEdit, TASK_STATUSES, type TaskEdit, type TaskStatus } from "../../runs/task.ts";
import { runFor } from "../run/access.ts";
import { type CommandCall, type ExitCode, textFlag } from "./command.ts";
import { interruption, unlessStopped } from "./interruption.ts";
import { withRuns } from "./open-runs.ts";
import { taskLines } from "./run-view.ts";
import { performVerb, type Verbs } from "./verbs.ts";

const VERBS: Verbs = {
  list: {
    usage: "list [--run id]",
    words: [0, 0],
    perform: (call) =>
      reading(call, (run) => {
        if (call.output.json) call.output.data({ run: run.id, tasks: run.tasks });
        else for (const line of taskLines(run.tasks, call.output)) call.output.line(line);
      }),
  },
  show: {
    usage: "show <task> [--run id]",
    words: [1, 1],
    perform: (call, [id = ""]) =>
      reading(call, (run) => {
        const task = taskOf(run, id);
        if (call.output.json) return call.output.data(task);
        call.output.line(`${task.id}  ${task.status}  ${task.title}`);
        if (task.body !== "") call.output.line(`\n${task.body}`);
        if (task.notes !== "") call.output.line(`\nnotes\n${task.notes}`);
      }),
  },
  set: {
    usage: "set <task> [--status s] [--notes text] [--title text] [--body text] [--run id]",
    words: [1, 1],
    flags: ["status", "notes", "title", "body"],
    writes: true,
    perform: (call, [id = ""]) => editing(call, setEdit(call, id)),
  },
  "append-notes": {
    usage: "append-notes <task> --notes text [--run id]",
    words: [1, 1],
    flags: ["notes"],
    writes: true,
    perform: (call, [task = ""]) => editing(call, { kind: "append-notes", task, notes: needed(call, "notes") }),
  },
  add: {
    usage: "add --title text [--body text] [--id id] [--run id]",
    words: [0, 0],
    flags: ["title", "body", "id"],
    writes: true,
    perform: (call) => {
      const id = textFlag(call, "id");
      const text = { title: needed(call, "title"), body: textFlag(call, "body") ?? "" };
      return editing(call, { kind: "add", ...text, ...(id === undefined ? {} : { id }) });
    },
  },
  delete: {
    usage: "delete <task> [--run id]",
    words: [1, 1],
    writes: true,
    perform: (call, [task = ""]) => editing(call, { kind: "delete", task }),
  },
};

export const run = (call: CommandCall): Promise<ExitCode> => performVerb("task", VERBS, call, "list");

const reading = (call: CommandCall, show: (run: Run) => void): Promise<ExitCode> =>
  withRuns(call, async (runs) => {
    show(await runFor(runs, textFlag(call, "run"), "read"));
    return 0;
  });

const editing = (call: CommandCall, edit: TaskEdit): Promise<ExitCode> =>
  withRuns(call, async (runs) => {
    const { output, flags } = call;
    const before = await runFor(runs, textFlag(call, "run"), "edit");
    if ("task" in edit) taskOf(before, edit.task);
    if (flags["dry-run"]) return rehearsed(before, edit, call);
    const signal = interruption();
    const edited = editTask(runs, before.id, edit, { signal });
    const { run: after, task, isChanged } = await unlessStopped("no task was changed", signal, edited);
    if (output.json) output.data({ run: after.id, status: after.status, task, isChanged });
    else if (!isChanged) output.line("nothing to change");
    else if (task === null) output.line(`${output.paint("green", "deleted")}  ${"task" in edit ? edit.task : ""}`);
    else for (const line of taskLines([task], output)) output.line(line);
    return 0;
  });

/** Hooks are not asked: what they answer may depend on what they do. */
function rehearsed(run: Run, edit: TaskEdit, { output }: CommandCall): ExitCode {
  const problem = mayEdit(edit, {
    status: run.status,
    isPassive: isPassive(run),
    isArchived: run.isArchived,
    areTasksLocked: run.lockedFields.includes("tasks"),
  });
  const hooks = run.hooks.filter(({ phase }) => phase === "taskTransition").map(({ id }) => id);
  if (output.json) output.data({ run: run.id, edit, problem: problem ?? null, hooks });
  else output.line(problem ?? `could be made; hooks of the run that may be asked: ${hooks.join(", ") || "none"}`);
  return problem === undefined ? 0 : 2;
}

function taskOf(run: Run, id: string) {
  const task = run.tasks.find((candidate) => candidate.id === id);
  if (task) return task;
  const ids = run.tasks.map((candidate) => candidate.id);
  const meant = nearest(id, ids);
  throw new HoldfastError("HF1035", `run ${run.id} has no task "${id}"`, {
    hint: meant ? `did you mean ${meant}?` : `tasks: ${ids.join(", ") || "none"}`,
  });
}

function setEdit(call: CommandCall, task: string): TaskEdit {
  const status = statusOf(textFlag(call, "status"));
  const [notes, title, body] = ["notes", "title", "body"].map((name) => textFlag(call, name));
  const isText = title !== undefined || body !== undefined;
  const isState = status !== undefined || notes !== undefined;
  if (isText === isState) {
    throw new HoldfastError("HF701", isText ? "text and status are two edits" : "nothing to set", {
      hint: "holdfast task set <task> --status completed, or --notes …, or --title … --body …",
    });
  }
  if (isText) return { kind: "text", task, ...given({ title, body }) };
  return { kind: "set", task, ...given({ status, notes }) };
}

function statusOf(name: string | undefined): TaskStatus | undefined {
  if (name === undefined) return undefined;
  const status = TASK_STATUSES.find((known) => known === name);
  if (status) return status;
  throw new HoldfastError("HF701", `there is no status "${name}"`, { hint: `statuses: ${TASK_STATUSES.join(", ")}` });
}

function needed(call: CommandCall, name: string): string {
  const value = textFlag(call, name);
  if (value !== undefined && value.trim() !== "") return value;
  throw new HoldfastError("HF701", `--${name} is missing or empty`, { hint: `give it a text: --${name} "…"` });
}

/** Fields that are there. */
const given = <T extends object>(fields: T) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
