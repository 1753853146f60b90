/** Runs as people and programs see them: of their own organisation only, and without secrets. */
import type { Person } from "../../../approvals/approval.ts";
import { redactJson } from "../../../core/redact.ts";
import type { Run } from "../../../runs/run.ts";
import type { RunStore } from "../../../runs/store.ts";
import type { ServerContext } from "../context.ts";
import { assertDecider, onDecidersWord } from "../deciders.ts";
import { unknown } from "../problem.ts";

export function runStore({ runs }: ServerContext, organisation: string): RunStore | undefined {
  return runs?.storeOf(organisation);
}

export async function seenRun(
  context: ServerContext,
  organisation: string,
  id: string,
): Promise<{ readonly store: RunStore; readonly run: Run }> {
  const store = runStore(context, organisation);
  const run = await store?.read(id);
  if (!store || !run) throw unknown(`run ${id}`);
  return { store, run };
}

/** Stopping, pinning and noting: with a store that writes only while they may. */
export async function changedRun(
  context: ServerContext,
  person: Person,
  id: string,
): Promise<{ readonly store: RunStore; readonly run: Run }> {
  const { store, run } = await seenRun(context, person.organisation, id);
  const what = "runs are changed";
  assertDecider(person, what);
  const change: RunStore["change"] = (...given) => onDecidersWord(context, person, what, () => store.change(...given));
  const requestStop: RunStore["requestStop"] = (...given) =>
    onDecidersWord(context, person, what, () => store.requestStop(...given));
  return { store: { ...store, change, requestStop }, run };
}

export type RunView = ReturnType<typeof runView>;

/** Variables and the seed stay out: what came from the environment may be in them. */
export function runView(run: Run) {
  const { settings } = run;
  return redactJson({
    id: run.id,
    version: run.version,
    repo: run.repo,
    status: run.status,
    statusReason: run.statusReason,
    name: run.name,
    note: run.note,
    isPinned: run.isPinned,
    isArchived: run.isArchived,
    group: run.group,
    parentRun: run.parentRun,
    dependencies: [...run.dependencies],
    assignment: run.assignment?.name ?? null,
    agent: run.agent.name,
    backend: settings.backend,
    model: settings.model,
    cwd: settings.cwd,
    maxRetries: settings.maxRetries,
    backendSession: run.backendSession,
    tasks: run.tasks.map((task) => ({ ...task })),
    hooks: run.hooks.map(({ id, phase, task }) => ({ id, phase, task })),
    hookAudits: run.hookAudits.map((audit) => ({ ...audit })),
    attempts: run.attempts.map((attempt) => ({ ...attempt })),
    sessions: run.sessions.map(({ request: _, ...session }) => session),
    attachments: run.attachments.map((attachment) => ({ ...attachment })),
    createdAt: run.createdAt,
    updatedAt: run.updatedAt,
    endedAt: run.endedAt,
  });
}
