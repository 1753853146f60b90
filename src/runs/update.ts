/** A stored change of a run, made again as long as others are faster. Nothing is held while it is being made. */
import { HoldfastError } from "../core/errors.ts";
import type { RunPorts } from "./ports.ts";
import type { HookAudit, Run } from "./run.ts";
import type { Change, NewRunEvent } from "./store.ts";

export interface MadeChange {
  readonly next: Run;
  readonly change?: Change;
}

/** `make` sees the run as it is; undefined: there is nothing to change. */
export async function updateRun(
  ports: Pick<RunPorts, "store" | "now">,
  id: string,
  make: (run: Run) => MadeChange | undefined,
): Promise<Run> {
  for (;;) {
    const run = await readRun(ports, id);
    const made = make(run);
    if (!made) return run;
    const next = versionAfter(run, made.next, ports.now());
    if (await ports.store.change(next, made.change)) return next;
  }
}

export async function readRun({ store }: Pick<RunPorts, "store">, id: string): Promise<Run> {
  const run = await store.read(id);
  if (!run) throw new HoldfastError("HF1021", `there is no run ${id}`);
  return run;
}

export const versionAfter = (run: Run, next: Run, now: Date): Run => ({
  ...next,
  version: run.version + 1,
  updatedAt: now.toISOString(),
});

/** The manifest keeps the last few; the log has all. */
const KEPT_AUDITS = 50;

export const withAudits = (run: Run, audits: readonly HookAudit[]): Run =>
  audits.length === 0 ? run : { ...run, hookAudits: [...run.hookAudits, ...audits].slice(-KEPT_AUDITS) };

export const auditEvents = (audits: readonly HookAudit[], isDropped = false): NewRunEvent[] =>
  audits.map((audit) => ({
    type: "run.hook_recorded",
    source: "hook",
    data: { ...audit, ...(isDropped ? { isDropped } : {}) },
  }));
