/** What is done to a run as a whole while nothing drives it: back to its seed, made anew, put away, deleted. */
import { HoldfastError } from "../core/errors.ts";
import type { VarValue } from "./assignment/assignment.ts";
import { type MakingPlace, makeRun } from "./create.ts";
import { filesWithout, openStaging } from "./files/staging.ts";
import { endLeftAgent, leased } from "./loop.ts";
import { checkInstructions, checkLocked, lockedFieldsOf, type NewRun } from "./new-run.ts";
import type { RunPorts } from "./ports.ts";
import type { Run } from "./run.ts";
import { requireStatus } from "./start.ts";
import type { NewRunEvent } from "./store.ts";
import { readRun, updateRun, versionAfter } from "./update.ts";

/** As prepare left it. The log stays; prepare does not run again, and no hook is asked about the tasks. */
export function resetRun(ports: RunPorts, id: string): Promise<Run> {
  return leased(ports, id, async (lease) => {
    await endLeftAgent(ports, await readRun(ports, id));
    return updateRun(ports, id, (run) => {
      if (run.isArchived) throw new HoldfastError("HF1023", `run ${id} is archived; unarchive it first`);
      if (!run.seed) throw new HoldfastError("HF1028", `run ${id} has no seed to go back to`);
      const { messages: _said, ...kept } = run;
      const next: Run = {
        ...kept,
        ...run.seed,
        status: "initialized",
        statusReason: "",
        sessions: [],
        attempts: [],
        progress: null,
        backendSession: null,
        endedAt: null,
      };
      const files = [{ remove: "attempts" }, ...filesWithout(run.attachments, run.seed.attachments)];
      return { next, change: { events: [event("run.reset", { from: run.status })], files, lease: lease.token } };
    });
  });
}

export interface Reconfiguration {
  readonly cliVars?: Readonly<Record<string, string>>;
  readonly webVars?: Readonly<Record<string, VarValue>>;
  readonly message?: string | null;
}

/** Other variables or another message for a run that has not begun: its own frozen prepare hooks run again on them. */
export async function reconfigureRun(
  ports: RunPorts,
  id: string,
  given: Reconfiguration,
  signal?: AbortSignal,
): Promise<Run> {
  const overrides = given.message === undefined ? {} : { message: given.message };
  checkLocked(overrides, (await readRun(ports, id)).lockedFields);
  // Under the lease: what another made of it meanwhile is kept.
  const wantedOf = async ({ hooks }: Run) => {
    const origin = await ports.store.originOf(id);
    if (!origin) throw new HoldfastError("HF1028", `what run ${id} was made from is gone`);
    const wanted: NewRun = {
      ...origin,
      cliVars: { ...origin.cliVars, ...given.cliVars },
      webVars: { ...origin.webVars, ...given.webVars },
      overrides: { ...origin.overrides, ...overrides },
    };
    return { wanted, hooks };
  };
  return makeAnew(ports, id, wantedOf, signal);
}

/** `init` on a run that is there: its definitions are read again, its hooks frozen again. */
export async function reinitializeRun(ports: RunPorts, id: string, wanted: NewRun, signal?: AbortSignal): Promise<Run> {
  checkLocked(wanted.overrides, lockedFieldsOf(wanted));
  checkInstructions(wanted);
  return makeAnew(ports, id, async () => ({ wanted }), signal);
}

function makeAnew(
  ports: RunPorts,
  id: string,
  wantedOf: (before: Run) => Promise<{ readonly wanted: NewRun; readonly hooks?: Run["hooks"] }>,
  signal?: AbortSignal,
): Promise<Run> {
  return leased(ports, id, async (lease) => {
    const before = await readRun(ports, id);
    requireStatus(before, ["initialized"], "made anew");
    const { wanted, hooks } = await wantedOf(before);
    const directory = ports.store.directoryOf(id);
    const place: MakingPlace = { id, directory, before, ...(hooks ? { hooks } : {}) };
    const staging = openStaging(directory, wanted.callerCwd, ports.now);
    try {
      const quiet = { ...wanted, isStarted: false };
      const calledOff = AbortSignal.any([lease.lost, ...(signal ? [signal] : [])]);
      const { run, change } = await makeRun(ports, quiet, place, staging, calledOff);
      const next = versionAfter(before, { ...run, repo: before.repo }, ports.now());
      if (!(await ports.store.change(next, { ...change, origin: quiet, lease: lease.token }))) {
        throw new HoldfastError("HF1033", `run ${id} was edited while it was made anew`);
      }
      return next;
    } finally {
      staging.close();
    }
  });
}

export const archiveRun = (ports: RunPorts, id: string): Promise<Run> =>
  leased(ports, id, () =>
    changed(ports, id, "run.archived", (run) => {
      if (run.status === "running") throw new HoldfastError("HF1023", `run ${id} is running; resume or reset it first`);
      return { ...run, isArchived: true };
    }),
  );

export const unarchiveRun = (ports: Changing, id: string): Promise<Run> =>
  changed(ports, id, "run.unarchived", (run) => ({ ...run, isArchived: false }));

/** Refused while a process drives it. */
export const deleteRun = (ports: RunPorts, id: string): Promise<void> =>
  leased(ports, id, async () => {
    await endLeftAgent(ports, await readRun(ports, id));
    await ports.store.remove(id);
  });

export const nameRun = (ports: Changing, id: string, name: string | null): Promise<Run> =>
  changed(ports, id, "run.named", (run) => ({ ...run, name: name?.trim() || null }));

/** Only white space is no note. It never reaches a prompt. */
export const noteRun = (ports: Changing, id: string, note: string | null): Promise<Run> =>
  changed(ports, id, "run.noted", (run) => ({ ...run, note: note?.trim() ? note : null }));

export const pinRun = (ports: Changing, id: string, isPinned: boolean): Promise<Run> =>
  changed(ports, id, isPinned ? "run.pinned" : "run.unpinned", (run) => ({ ...run, isPinned }));

export const groupRun = (ports: Changing, id: string, group: string | null): Promise<Run> =>
  changed(ports, id, "run.grouped", (run) => ({ ...run, group: group?.trim() || null }));

/** The backend's own session the next attempt goes on in; null: a new one. */
export const setBackendSession = (ports: Changing, id: string, session: string | null): Promise<Run> =>
  changed(ports, id, "run.backend_session_set", (run) => {
    if (run.status === "running") throw new HoldfastError("HF1023", `run ${id} is running`);
    return { ...run, backendSession: session };
  });

type Changing = Pick<RunPorts, "store" | "now">;

const changed = (ports: Changing, id: string, type: string, change: (run: Run) => Run): Promise<Run> =>
  updateRun(ports, id, (run) => {
    const next = change(run);
    const keys = (Object.keys(next) as (keyof Run)[]).filter((key) => next[key] !== run[key]);
    if (keys.length === 0) return undefined;
    const data = Object.fromEntries(keys.map((key) => [key, next[key]])) as NewRunEvent["data"];
    return { next, change: { events: [event(type, data)] } };
  });

const event = (type: string, data: NewRunEvent["data"]): NewRunEvent => ({ type, source: "cli", data });
