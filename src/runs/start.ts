/** From a run that rests to one that runs: its first session, or one more. */
import { createHash } from "node:crypto";
import { HoldfastError } from "../core/errors.ts";
import { requireDependencies } from "./dependencies.ts";
import { editTask } from "./edit-task.ts";
import { type DriveOptions, driveLeased, leased, type RunEnd } from "./loop.ts";
import { checkLocked, type RunOverrides } from "./new-run.ts";
import { isPassive } from "./passive.ts";
import type { RunPorts } from "./ports.ts";
import type { Run, RunSettings } from "./run.ts";
import type { Lease, NewRunEvent } from "./store.ts";
import { changeTakenOver, noteRequest, startedEvent } from "./taken-over.ts";
import { readRun, updateRun } from "./update.ts";

/** `ready`: it is looked at and may start; from now on only notes can be taken until it does. */
export function readyRun(ports: RunPorts, id: string): Promise<Run> {
  return updateRun(ports, id, (run) => {
    if (run.status === "ready") return undefined;
    requireStatus(run, ["initialized"], "made ready");
    requireActive(run);
    return { next: { ...run, status: "ready" }, change: { events: [statusEvent(run, "ready")] } };
  });
}

/** The first session of a run that is initialized or ready; the brief goes to the backend as it is stored. */
export function startRun(ports: RunPorts, id: string, options: DriveOptions = {}): Promise<RunEnd> {
  const start = async (lease: Lease) => {
    const run = await readRun(ports, id);
    if (run.progress) return driveLeased(ports, id, lease, options);
    requireStatus(run, ["initialized", "ready"], "started");
    requireActive(run);
    await requireDependencies(ports, run);
    await beginSession(ports, id, lease, { prompt: null, overrides: {}, ...asked(options) });
    return driveLeased(ports, id, lease, options);
  };
  return leased(ports, id, start, options.lease);
}

export interface ResumeRequest extends Pick<RunOverrides, ResumeOverride> {
  readonly message?: string;
  readonly addTasks?: readonly { readonly title: string; readonly body: string }[];
}

type ResumeOverride = "model" | "effort" | "timeoutSec" | "unrestricted" | "maxRetries";

/** One more session of a run that ended, or the same one where the process that drove it died. */
export function resumeRun(
  ports: RunPorts,
  id: string,
  request: ResumeRequest = {},
  options: DriveOptions = {},
): Promise<RunEnd> {
  const resume = async (lease: Lease) => {
    const { addTasks = [], message, ...overrides } = request;
    let run = await readRun(ports, id);
    requireResumable(run, request);
    if (isOnlyEnding(run) && asksForMore(request)) {
      ({ run } = await driveLeased(ports, id, lease, options));
      requireResumable(run, request);
    }
    if (!run.progress) await requireDependencies(ports, run);
    for (const task of tasksToAdd(run, addTasks, options.request)) {
      await editTask(ports, id, { kind: "add", ...task }, { byLoop: { lease: lease.token } });
    }
    if (!run.progress) await beginSession(ports, id, lease, { prompt: message ?? null, overrides, ...asked(options) });
    else if (asksForMore(request)) await changeTakenOver(ports, id, lease, { ...request, ...asked(options) });
    else if (options.request !== undefined) await noteRequest(ports, id, lease, options.request);
    return driveLeased(ports, id, lease, options);
  };
  return leased(ports, id, resume, options.lease);
}

/** Whoever drove it died before all was put away: its session is over, and nothing more can be said to it. */
const isOnlyEnding = ({ progress }: Run): boolean => progress?.step === "ending" || progress?.step === "after-exit";

export const asksForMore = ({ addTasks = [], ...more }: ResumeRequest): boolean =>
  addTasks.length > 0 || Object.keys(more).length > 0;

/**
 * The same request comes to the same ids: what was added before a kill is not added again. An entry of the queue is the same
 * whoever went on with the run meanwhile; without one it is what is asked for the session to come, or said again to the one
 * that was begun for it.
 */
function tasksToAdd(run: Run, wanted: NonNullable<ResumeRequest["addTasks"]>, request: string | undefined) {
  const session = run.sessions.length;
  const other = request === undefined && run.progress ? session - 1 : undefined;
  const isThere = (id: string) => run.tasks.some((task) => task.id === id);
  return wanted.flatMap(({ title, body }, at) => {
    const idFor = (key: string | number) => addedTaskId([key, at, title, body]);
    if (other !== undefined && isThere(idFor(other))) return [];
    const id = idFor(request ?? session);
    return isThere(id) ? [] : [{ id, title, body }];
  });
}

const addedTaskId = (key: readonly (string | number)[]): string =>
  `cli-${createHash("sha256").update(JSON.stringify(key)).digest("hex").slice(0, 8)}`;

/** Whether it can go on in the way that is asked for, but for runs it waits for. */
export function requireResumable(run: Run, request: ResumeRequest): void {
  const { addTasks = [], message: _, ...overrides } = request;
  if (run.isArchived) throw new HoldfastError("HF1023", `run ${run.id} is archived; unarchive it first`);
  checkLocked({ ...overrides, ...(addTasks.length > 0 ? { addTasks } : {}) }, run.lockedFields);
  requireActive(run);
  if (run.progress) return;
  requireStatus(run, ["success", "blocked", "exhausted", "aborted", "error"], "resumed");
  requireReason(run, request);
}

/** Whether it would begin here and now: for whoever has it driven elsewhere, and would not hear of it. */
export async function requireStartable(ports: RunPorts, run: Run, request: ResumeRequest): Promise<void> {
  if (run.status === "initialized" || run.status === "ready") requireActive(run);
  else requireResumable(run, request);
  const driver = await ports.store.driverOf(run.id);
  if (driver !== undefined) throw new HoldfastError("HF1024", `run ${run.id} is driven by ${driver}`);
  if (!run.progress) await requireDependencies(ports, run);
}

/** A blocked run waits for a person's word; any other goes on by itself while there is something to do. */
function requireReason(run: Run, { message, addTasks = [] }: ResumeRequest): void {
  if ((message !== undefined && message.trim() !== "") || (run.messages ?? []).length > 0) return;
  if (run.status === "blocked") {
    throw new HoldfastError("HF1027", `run ${run.id} is blocked (${run.statusReason}); say how to go on`);
  }
  const isOpen = run.tasks.some(({ status }) => status === "pending" || status === "in_progress");
  if (!isOpen && addTasks.length === 0) throw new HoldfastError("HF1027", `run ${run.id} has nothing left to do`);
}

const asked = ({ request }: DriveOptions) => (request === undefined ? {} : { request });

interface NewSession {
  readonly prompt: string | null;
  readonly overrides: Partial<Pick<RunSettings, ResumeOverride>>;
  readonly request?: string;
}

const beginSession = (
  ports: RunPorts,
  id: string,
  lease: Lease,
  { prompt, overrides, request }: NewSession,
): Promise<Run> =>
  updateRun(ports, id, (run) => {
    const index = run.sessions.length;
    const startedAt = ports.now().toISOString();
    return {
      next: {
        ...run,
        status: "running",
        statusReason: "",
        endedAt: null,
        settings: { ...run.settings, ...overrides },
        sessions: [...run.sessions, { index, startedAt, endedAt: null, ...(request === undefined ? {} : { request }) }],
        progress: { step: "before-attempt", prompt },
      },
      change: {
        events: [startedEvent(index, prompt)],
        lease: lease.token,
      },
    };
  });

export function requireStatus(run: Run, statuses: readonly Run["status"][], done: string): void {
  if (statuses.includes(run.status)) return;
  throw new HoldfastError(
    "HF1023",
    `run ${run.id} is ${run.status}; only one that is ${statuses.join(" or ")} can be ${done}`,
  );
}

function requireActive(run: Run): void {
  if (isPassive(run)) {
    throw new HoldfastError("HF1023", `run ${run.id} is passive: nothing drives it, its tasks are edited by hand`);
  }
}

const statusEvent = (run: Run, to: Run["status"]): NewRunEvent => ({
  type: "run.status_changed",
  source: "cli",
  data: { from: run.status, to },
});
