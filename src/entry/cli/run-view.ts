/** A run as reports show it: nothing secret, and what a program needs to go by. */
import { redactJson } from "../../core/redact.ts";
import { EXIT_CODES, type Run, type RunStatus } from "../../runs/run.ts";
import type { RunSummary } from "../../runs/store.ts";
import type { Task, TaskStatus } from "../../runs/task.ts";
import type { Colour, Output } from "./output.ts";
import { table } from "./output.ts";

export function runView(run: Run) {
  const { seed: _seed, ...shown } = run;
  return redactJson({
    ...shown,
    exitCode: EXIT_CODES[run.status],
    tasksCompleted: run.tasks.filter(({ status }) => status === "completed").length,
    tasksTotal: run.tasks.length,
  });
}

const STATUS_COLOURS: Readonly<Record<RunStatus, Colour>> = {
  initialized: "dim",
  ready: "cyan",
  running: "cyan",
  success: "green",
  blocked: "red",
  exhausted: "yellow",
  aborted: "yellow",
  error: "red",
};

const TASK_MARKS: Readonly<Record<TaskStatus, readonly [mark: string, colour: Colour]>> = {
  pending: ["[ ]", "dim"],
  in_progress: ["[>]", "cyan"],
  completed: ["[x]", "green"],
  blocked: ["[!]", "red"],
};

export const paintedStatus = (status: RunStatus, { paint }: Output): string => paint(STATUS_COLOURS[status], status);

export function taskLines(tasks: readonly Task[], { paint }: Output): string[] {
  return table(
    tasks.map(({ id, title, status, notes }) => {
      const [mark, colour] = TASK_MARKS[status];
      return [
        `  ${paint(colour, mark)}`,
        id,
        title,
        paint(colour, status),
        notes === "" ? "" : paint("dim", lastLine(notes)),
      ];
    }),
  );
}

const MAX_NOTE = 60;

function lastLine(notes: string): string {
  const line = notes.trimEnd().split("\n").at(-1) ?? "";
  return line.length > MAX_NOTE ? `${line.slice(0, MAX_NOTE)}…` : line;
}

export function headLine(run: Run, output: Output): string {
  const attempts = run.attempts.length === 0 ? "" : `attempt ${run.attempts.length}, session ${run.sessions.length}`;
  const title = run.name ?? run.assignment?.name ?? run.agent.name;
  const parts = [`run ${run.id}`, title, run.settings.backend, paintedStatus(run.status, output), attempts];
  return parts.filter((part) => part !== "").join("  ");
}

export function printRun(run: Run, output: Output): void {
  output.line(headLine(run, output));
  if (run.statusReason !== "") output.line(`  ${output.paint("yellow", "because")}  ${run.statusReason}`);
  for (const line of taskLines(run.tasks, output)) output.line(line);
  if (run.note !== null) output.line(`  note  ${run.note}`);
  if (run.attachments.length > 0) output.line(`  attachments  ${run.attachments.map(({ name }) => name).join(", ")}`);
}

/** Why each hook that stopped or failed something did so: a reason is never only in a file. */
export function printRefusals(run: Run, output: Output): void {
  for (const { hook, outcome, summary } of run.hookAudits) {
    if (!["block", "rejected", "error", "timeout"].includes(outcome)) continue;
    output.line(`  ${output.paint("red", outcome)}  ${hook}: ${summary}`);
  }
}

export function summaryRows(runs: readonly RunSummary[], output: Output): string[] {
  const rows = runs.map((run) => [
    `${run.isPinned ? "*" : " "} ${run.id}`,
    run.repo,
    paintedStatus(run.status, output),
    `${run.tasksCompleted}/${run.tasksTotal}`,
    run.problem === undefined ? (run.name ?? run.assignment ?? "") : output.paint("red", run.problem),
    run.group ?? "",
    `${run.updatedAt}${run.isArchived ? "  archived" : ""}`,
  ]);
  return table([["  run", "repo", "status", "tasks", "name", "group", "changed"], ...rows]);
}
