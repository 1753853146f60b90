/** What a backend is told: the brief at first, a nudge as long as tasks are open. Notes and pins are never in it. */
import { HoldfastError } from "../core/errors.ts";
import type { Run } from "./run.ts";
import type { Task } from "./task.ts";

export interface BriefParts {
  readonly role: string;
  readonly instructions: string;
  readonly tasks: readonly Task[];
  readonly message: string | null;
}

export function composeBrief({ role, instructions, tasks, message }: BriefParts): string {
  const parts = [role, instructions, tasks.length > 0 ? workflowText(tasks) : "", message ?? ""];
  const brief = parts
    .map((part) => part.trim())
    .filter((part) => part !== "")
    .join("\n\n");
  if (brief === "")
    throw new HoldfastError("HF1036", "there is nothing to tell the backend: no instructions, no task, no message");
  return brief;
}

const workflowText = (tasks: readonly Task[]) =>
  [
    "## How to work",
    "",
    "Work through the tasks below. Keep their state up to date as you go, from your shell:",
    "",
    "- `holdfast task list` shows them, `holdfast task show <id>` shows one in full.",
    "- `holdfast task set <id> --status in_progress` when you begin one.",
    '- `holdfast task append-notes <id> --notes "…"` for what whoever comes next should know.',
    "- `holdfast task set <id> --status completed` when it is really done. If that is refused, the reason says what is missing.",
    '- `holdfast task set <id> --status blocked --notes "…"` if you cannot go on without a person.',
    "",
    "You are done when every task is completed.",
    "",
    "## Tasks",
    "",
    ...tasks.map(({ id, title, body }) => [`- [${id}] ${title}`, ...indented(body)].join("\n")),
  ].join("\n");

const indented = (body: string): string[] =>
  body.trim() === ""
    ? []
    : body
        .trim()
        .split("\n")
        .map((line) => (line === "" ? "" : `  ${line}`));

export function nudge(run: Pick<Run, "tasks">): string {
  const open = run.tasks.filter(({ status }) => status !== "completed");
  return [
    "These tasks are not completed yet:",
    "",
    ...open.map(({ id, title, status }) => `- [${id}] ${title} (${status})`),
    "",
    "Go on with them. Set each to completed when it is done, or to blocked, with notes that say why.",
  ].join("\n");
}

/** A session that is resumed without a message. */
export const continuation = (run: Pick<Run, "tasks">): string =>
  run.tasks.some(({ status }) => status !== "completed") ? nudge(run) : "Go on where you stopped.";
