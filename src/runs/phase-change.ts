/** A phase and what it changes, as one stored change: hooks run without any lock, and again only where they would clash. */
import { HoldfastError } from "../core/errors.ts";
import { openStaging } from "./files/staging.ts";
import type { Moment, PhaseOutcome } from "./hooks/phase.ts";
import { mergeRun } from "./merge.ts";
import type { RunPorts } from "./ports.ts";
import type { FrozenHook, HookAudit, Run } from "./run.ts";
import type { NewRunEvent } from "./store.ts";
import { auditEvents, readRun, versionAfter, withAudits } from "./update.ts";

export interface PhaseChange {
  readonly id: string;
  /** Undefined: there is nothing to ask hooks about. */
  readonly momentOf: (run: Run) => Moment | undefined;
  readonly hooks?: readonly FrozenHook[];
  /** Whether what others stored meanwhile (`fresh`) makes the hooks' answers worthless. */
  readonly mustAskAgain: (base: Run, changed: Run, fresh: Run) => boolean;
  /** What is stored: the run with everything the phase changed, and what follows from how it ended. */
  readonly conclude: (
    run: Run,
    outcome: PhaseOutcome,
  ) => { readonly next: Run; readonly events?: readonly NewRunEvent[] };
  readonly lease?: string;
  /** Task edits this one is made from within, its own id last. */
  readonly within?: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

/** How often hooks are asked again before the run is said never to come to rest. */
const MOST_TRIES = 50;
const PATIENT_TRIES = 3;

export interface ChangedByPhase {
  readonly run: Run;
  /** Undefined: there was nothing to ask about. */
  readonly outcome: PhaseOutcome | undefined;
}

export async function changeByPhase(ports: RunPorts, wanted: PhaseChange): Promise<ChangedByPhase> {
  const dropped: HookAudit[] = [];
  // From within an edit there is nobody to wait for: the outer one waits for this one.
  const isNested = (wanted.within?.length ?? 0) > 1;
  let turn: { release(): void } | undefined;
  try {
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      if (!isNested && tries >= PATIENT_TRIES) turn ??= await ports.store.takeTurn(wanted.id);
      if (!isNested && !turn) await ports.store.letOthersTurn(wanted.id);
      const changed = await tryOnce(ports, wanted, dropped);
      if (changed) return changed;
    }
  } finally {
    turn?.release();
  }
  await ports.store.append(wanted.id, auditEvents(dropped, true));
  throw new HoldfastError("HF1033", `run ${wanted.id} changed ${MOST_TRIES} times while its hooks were asked`);
}

/** Undefined: others changed what the hooks judged by; they are asked again. */
async function tryOnce(
  ports: RunPorts,
  wanted: PhaseChange,
  dropped: HookAudit[],
): Promise<ChangedByPhase | undefined> {
  const base = await readRun(ports, wanted.id);
  const moment = wanted.momentOf(base);
  if (!moment) return { run: base, outcome: undefined };
  const directory = ports.store.directoryOf(wanted.id);
  const staging = openStaging(directory, base.settings.cwd, ports.now);
  try {
    const outcome = await ports.runPhase({
      run: base,
      moment,
      directory,
      stage: staging.stage,
      signal: wanted.signal,
      env: wanted.env,
      ...(wanted.hooks ? { hooks: wanted.hooks } : {}),
    });
    const stored = await store(ports, wanted, base, outcome, staging.filesFor, dropped);
    if (stored) return { run: stored, outcome };
    dropped.push(...outcome.audits);
    return undefined;
  } finally {
    staging.close();
  }
}

async function store(
  ports: RunPorts,
  wanted: PhaseChange,
  base: Run,
  outcome: PhaseOutcome,
  filesFor: ReturnType<typeof openStaging>["filesFor"],
  dropped: readonly HookAudit[],
): Promise<Run | undefined> {
  for (;;) {
    const fresh = await readRun(ports, wanted.id);
    const isMoved = fresh.version !== base.version;
    // Of a phase that failed nothing is taken, whatever it judged by.
    const isOpen = isMoved && outcome.end.kind !== "error" && !(await isOwnDoing(ports, wanted, base));
    if (isOpen && wanted.mustAskAgain(base, outcome.run, fresh)) return undefined;
    const merged = isMoved ? mergeRun(base, outcome.run, fresh) : outcome.run;
    const { next, events = [] } = wanted.conclude(merged, outcome);
    const stored = versionAfter(fresh, withAudits(next, outcome.audits), ports.now());
    const isStored = await ports.store.change(stored, {
      events: [...auditEvents(dropped, true), ...auditEvents(outcome.audits), ...events],
      files: filesFor(fresh.attachments, next.attachments, fresh.seed?.attachments),
      ...(wanted.within ? { within: wanted.within } : {}),
      ...(wanted.lease === undefined ? {} : { lease: wanted.lease }),
    });
    if (isStored) return stored;
  }
}

/** A hook may edit the run it is asked about: that is no reason to ask it again. */
async function isOwnDoing(ports: RunPorts, { id, within }: PhaseChange, base: Run): Promise<boolean> {
  const own = within?.at(-1);
  if (own === undefined) return false;
  const changes = await ports.store.changesSince(id, base.version);
  return changes?.every((change) => change.within.includes(own)) ?? false;
}
