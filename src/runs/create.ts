/** A new run: everything resolved, hooks frozen, prepared; then its first write, whole. Until then nothing can be seen. */
import { HoldfastError } from "../core/errors.ts";
import { checkRequired, resolveVars, typedVars } from "./assignment/vars.ts";
import { ancestorsOf, checkDepth, inheritedVar, parentOf } from "./children.ts";
import { checkDependencies } from "./dependencies.ts";
import { openStaging } from "./files/staging.ts";
import type { PhaseOutcome } from "./hooks/phase.ts";
import { checkInstructions, checkLocked, lockedFieldsOf, type NewRun } from "./new-run.ts";
import { isPassive } from "./passive.ts";
import type { RunPorts } from "./ports.ts";
import { composeBrief } from "./prompts.ts";
import { cwdOf, hookValues, type Rendering, renderTexts } from "./rendering.ts";
import type { FrozenHook, Run, RunSeed, RunSettings } from "./run.ts";
import type { Change, Reservation } from "./store.ts";
import { auditEvents, withAudits } from "./update.ts";

/** Where a run is made: a new place, or that of a run that is made anew. */
export interface MakingPlace {
  readonly id: string;
  readonly directory: string;
  /** Made anew: what it was. */
  readonly before?: Run;
  /** Those of the run it was, instead of the assignment's as they are now. */
  readonly hooks?: readonly FrozenHook[];
}

export interface MadeRun {
  readonly run: Run;
  readonly change: Change;
  readonly outcome: PhaseOutcome;
}

export async function createRun(ports: RunPorts, wanted: NewRun, signal: AbortSignal = never()): Promise<Run> {
  const reservation = await reserve(ports, wanted);
  return inPlace(ports, wanted, reservation, signal).catch(async (error) => {
    await reservation.discard();
    throw error;
  });
}

/** Everything but the write and the hooks: what would be frozen, as far as it is known before prepare hooks are asked. */
export async function rehearseRun(ports: RunPorts, wanted: NewRun, signal: AbortSignal = never()): Promise<MadeRun> {
  const reservation = await reserve(ports, wanted);
  const staging = openStaging(reservation.directory, wanted.callerCwd, ports.now);
  try {
    return await makeRun(ports, wanted, reservation, staging, signal, { isDryRun: true });
  } finally {
    staging.close();
    await reservation.discard();
  }
}

async function reserve(ports: RunPorts, wanted: NewRun): Promise<Reservation> {
  checkDepth(ports.env);
  checkLocked(wanted.overrides, lockedFieldsOf(wanted));
  checkInstructions(wanted);
  return ports.store.reserve(await ports.repoOf(wanted.callerCwd));
}

async function inPlace(ports: RunPorts, wanted: NewRun, reservation: Reservation, signal: AbortSignal): Promise<Run> {
  const staging = openStaging(reservation.directory, wanted.callerCwd, ports.now);
  try {
    const { run, change } = await makeRun(ports, wanted, reservation, staging, signal);
    if (run.status === "running") await requireBackend(ports, run);
    await ports.store.create(run, reservation, wanted, change);
    return run;
  } finally {
    staging.close();
  }
}

/** A program that is not there is said before there is a run. */
async function requireBackend(ports: RunPorts, { settings: { backend, backendConfig } }: Run): Promise<void> {
  const found = await (await ports.backendOf(backend)).probe(ports.env, backendConfig);
  if (!found.ok) throw new HoldfastError("HF1042", found.problem);
}

export async function makeRun(
  ports: RunPorts,
  wanted: NewRun,
  place: MakingPlace,
  staging: ReturnType<typeof openStaging>,
  signal: AbortSignal,
  { isDryRun = false }: { readonly isDryRun?: boolean } = {},
): Promise<MadeRun> {
  const draft = await draftOf(ports, wanted, place);
  const outcome = await ports.runPhase({
    run: draft,
    moment: { phase: "prepare", prompt: (run) => draftPrompt(ports, wanted, run) },
    hooks: draft.hooks,
    directory: place.directory,
    stage: staging.stage,
    signal,
    isDryRun,
    env: { HOLDFAST_RUN_ID: draft.id },
  });
  if (outcome.end.kind === "block") throw new HoldfastError("HF1032", outcome.end.reason);
  if (outcome.end.kind === "error") {
    throw new HoldfastError("HF1034", `hook ${outcome.end.hook} failed: ${outcome.end.message}`);
  }
  const prompt = outcome.end.kind === "reinvoke" ? outcome.end.prompt : outcome.prompt;
  // What hooks that were not asked would set is missing still: such a draft is not yet whole, and no mistake.
  const isWhole = !isDryRun || outcome.audits.length === 0;
  const prepared = isWhole ? await settled(ports, wanted, draft, outcome.run, prompt) : outcome.run;
  const run = withAudits({ ...prepared, seed: seedOf(prepared) }, outcome.audits);
  const data = { assignment: run.assignment?.name ?? null, agent: run.agent.name, backend: run.settings.backend };
  const change: Change = {
    events: [
      ...auditEvents(outcome.audits),
      { type: place.before ? "run.made_anew" : "run.created", source: "cli", data: { ...data, status: run.status } },
    ],
    files: staging.filesFor(place.before?.attachments ?? [], run.attachments),
  };
  return { run, change, outcome };
}

async function draftOf(ports: RunPorts, wanted: NewRun, place: MakingPlace): Promise<Run> {
  const { agent, assignment, overrides } = wanted;
  const parent = await parentOf(ports, place.before ? place.before.parentRun : overrides.parentRun);
  const vars = resolveVars({
    declared: assignment?.vars ?? {},
    cli: wanted.cliVars,
    web: wanted.webVars,
    env: ports.env,
    parent: inheritedVar(await ancestorsOf(ports, parent)),
  });
  const group = overrides.group === undefined ? (parent?.group ?? null) : overrides.group;
  const cwd = cwdOf(wanted, { id: place.id, group, vars }, ports);
  const rendering: Rendering = { id: place.id, group, cwd, vars };
  const texts = renderTexts(wanted, rendering, ports, { isDraft: true });
  const hooks = place.hooks ?? (assignment ? await ports.freeze(assignment, hookValues(wanted, rendering, ports)) : []);
  const dependencies = overrides.dependencies ?? place.before?.dependencies ?? [];
  await checkDependencies(ports, place.id, dependencies);
  const at = ports.now().toISOString();
  const settings = settingsOf(wanted, cwd, texts.message);
  const isStarted = wanted.isStarted && !isPassive({ settings });
  const added = place.before?.attachments.filter(
    ({ id }) => !place.before?.seed?.attachments.some((one) => one.id === id),
  );
  return {
    schemaVersion: 1,
    id: place.id,
    version: 1,
    repo: await ports.repoOf(cwd),
    status: isStarted ? "running" : "initialized",
    statusReason: "",
    name: overrides.name ?? null,
    note: overrides.note?.trim() || null,
    isPinned: place.before?.isPinned ?? false,
    isArchived: false,
    group,
    parentRun: parent?.id ?? null,
    dependencies,
    assignment: assignment && { name: assignment.name, file: assignment.file },
    agent: { name: agent.name, file: agent.file, instructions: texts.role },
    settings,
    lockedFields: lockedFieldsOf(wanted),
    callerInstructions: texts.callerInstructions,
    vars,
    brief: composeBrief(texts),
    tasks: texts.tasks,
    hooks,
    state: {},
    attachments: added ?? [],
    sessions: isStarted ? [{ index: 0, startedAt: at, endedAt: null }] : [],
    attempts: [],
    progress: isStarted ? { step: "before-attempt", prompt: null } : null,
    backendSession: overrides.backendSession ?? null,
    hookAudits: [],
    seed: null,
    createdAt: place.before?.createdAt ?? at,
    updatedAt: at,
    endedAt: null,
  };
}

/** What the backend would be told first, were prepare over now. */
function draftPrompt(ports: RunPorts, wanted: NewRun, { id, group, vars, settings, tasks }: Run): string {
  return composeBrief(
    renderTexts(wanted, { id, group, vars, cwd: settings.cwd }, ports, { kept: tasks, isDraft: true }),
  );
}

/** Everything that depends on what prepare changed, once more. */
async function settled(
  ports: RunPorts,
  wanted: NewRun,
  draft: Run,
  prepared: Run,
  prompt: string | null,
): Promise<Run> {
  const declared = wanted.assignment?.vars ?? {};
  checkRequired(declared, prepared.vars, "prepare");
  const { id, group } = prepared;
  const vars = typedVars(prepared.vars, declared);
  const isMoved = prepared.settings.cwd !== draft.settings.cwd;
  const cwd = isMoved ? prepared.settings.cwd : cwdOf(wanted, { id, group, vars }, ports);
  const texts = renderTexts(wanted, { id, group, cwd, vars }, ports, { kept: prepared.tasks });
  const { backend } = prepared.settings;
  const { agent } = wanted;
  const changed =
    backend === draft.settings.backend ? prepared.settings : { ...prepared.settings, ...ofBackend(agent, backend) };
  return {
    ...prepared,
    vars,
    repo: await ports.repoOf(cwd),
    agent: { ...prepared.agent, instructions: texts.role },
    settings: { ...changed, cwd, message: texts.message },
    callerInstructions: texts.callerInstructions,
    tasks: texts.tasks,
    brief: prompt ?? composeBrief(texts),
  };
}

const DEFAULT_RETRIES = 3;

function settingsOf({ agent, assignment, overrides }: NewRun, cwd: string, message: string | null): RunSettings {
  const backend = overrides.backend ?? agent.backend;
  const own = ofBackend(agent, backend);
  return {
    cwd,
    backend,
    model: overrides.model === undefined ? agent.model : overrides.model,
    effort: overrides.effort === undefined ? agent.effort : overrides.effort,
    timeoutSec: overrides.timeoutSec ?? agent.timeoutSec,
    unrestricted: overrides.unrestricted ?? agent.unrestricted,
    maxRetries: overrides.maxRetries ?? assignment?.maxRetries ?? DEFAULT_RETRIES,
    message,
    backendConfig: overrides.backendConfig ?? own.backendConfig,
    backendArgs: overrides.backendArgs ?? own.backendArgs,
  };
}

/** What an agent says of one backend is not for another. */
const ofBackend = (agent: NewRun["agent"], backend: string): Pick<RunSettings, "backendConfig" | "backendArgs"> => ({
  backendConfig: backend === agent.backend ? agent.backendConfig : {},
  backendArgs: agent.backendArgs[backend] ?? [],
});

export function seedOf(run: Run): RunSeed {
  const { settings, lockedFields, name, note, isPinned, group, parentRun, dependencies, vars } = run;
  const { brief, tasks, state, attachments } = run;
  return {
    settings,
    lockedFields,
    name,
    note,
    isPinned,
    group,
    parentRun,
    dependencies,
    vars,
    brief,
    tasks,
    state,
    attachments,
  };
}

const never = () => new AbortController().signal;
