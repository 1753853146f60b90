/** Runs as people and programs see them: of their own organisation only, and without secrets. */
import { closeSync, openSync, readSync, statSync } from "node:fs";
import type { Person } from "../../../approvals/approval.ts";
import { redact, redactJson } from "../../../core/redact.ts";
import type { Run } from "../../../runs/run.ts";
import type { RunStore } from "../../../runs/store.ts";
import type { ServerContext } from "../context.ts";
import { assertDecider } from "../deciders.ts";
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

/** Stopping, pinning and noting. */
export const assertMayChangeRuns = (person: Person): void => assertDecider(person, "runs are changed");

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
    sessions: run.sessions.map((session) => ({ ...session })),
    attachments: run.attachments.map((attachment) => ({ ...attachment })),
    createdAt: run.createdAt,
    updatedAt: run.updatedAt,
    endedAt: run.endedAt,
  });
}

export interface AttemptOutput {
  readonly text: string;
  /** Of the whole file. */
  readonly bytes: number;
  /** Its beginning is left out. */
  readonly isCut: boolean;
}

/** The end of what an attempt printed, whole lines only, secrets taken out. */
export async function attemptOutput(
  store: RunStore,
  run: string,
  attempt: number,
  maxBytes: number,
): Promise<AttemptOutput> {
  const file = await store.attemptOutput(run, attempt);
  const bytes = file === undefined ? 0 : (statSync(file, { throwIfNoEntry: false })?.size ?? 0);
  const start = Math.max(0, bytes - maxBytes);
  const text = file === undefined || bytes === 0 ? "" : readFrom(file, start, bytes - start);
  // Redacted whole: a token that the cut splits would no longer look like one.
  const whole = start === 0 ? text : text.slice(text.indexOf("\n") + 1);
  return { text: redact(whole), bytes, isCut: start > 0 };
}

function readFrom(file: string, start: number, length: number): string {
  const handle = openSync(file, "r");
  try {
    const buffer = Buffer.alloc(length);
    const read = readSync(handle, buffer, 0, length, start);
    return buffer.toString("utf8", 0, read);
  } finally {
    closeSync(handle);
  }
}
