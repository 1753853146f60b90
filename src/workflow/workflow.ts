/** The workflow of one project: what the MCP tools and `holdfast state` do. Every answer is a value or a problem. */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import * as operations from "./operations.ts";
import { phaseFault } from "./phase-name.ts";
import { inOrder, type PlanEntry, planNames, readPlan, summaryOf } from "./plan-file.ts";
import { isProblem, Problem } from "./problem.ts";
import { completeSettings, readSettings, type Settings } from "./settings.ts";
import { readState, renderState, type State, type StateDocument, stateJson } from "./state.ts";
import { type Status, statusOf } from "./status.ts";
import { changeText, codeOf, orProblem, readText, type StorePorts } from "./store.ts";

export interface WorkflowPorts extends StorePorts {
  /** The project's root; everything lies in its `.holdfast/`. */
  readonly root: string;
  now(): Date;
}

export interface PlanList {
  readonly phase: string;
  readonly plans: readonly PlanEntry[];
  readonly total: number;
  /** Markdown files in the folder that are not named like a plan. Absent when there are none. */
  readonly ignored?: readonly string[];
}

export type SettingsAnswer = Settings & { readonly unknown_keys?: readonly string[] };

export interface Workflow {
  stateGet(): State | Problem;
  /** `force` replaces a state that is there; the old file is kept as state.previous.toml. */
  stateInit(request: operations.InitRequest & { readonly force?: boolean | undefined }): State | Problem;
  stateTransition(request: operations.TransitionRequest): State | Problem;
  stateAddBlocker(request: operations.BlockRequest): State | Problem;
  stateResolveBlocker(request: operations.UnblockRequest): State | Problem;
  stateAdvancePhase(request: operations.AdvanceRequest): State | Problem;
  plansList(request?: { readonly phase?: string | undefined }): PlanList | Problem;
  status(): Status | Problem;
  configGet(): SettingsAnswer | Problem;
  configInit(): SettingsAnswer | Problem;
}

export function openWorkflow(ports: WorkflowPorts): Workflow {
  const dir = join(ports.root, ".holdfast");
  const stateFile = join(dir, "state.toml");
  const settingsFile = join(dir, "workflow.toml");
  const lockFile = join(dir, "tracking", "workflow.lock");
  const at = () => ports.now().toISOString();

  const load = () => document(readText(stateFile));

  function change(operation: (state: State) => State | Problem): State | Problem {
    // Looked at first so that a project without a state gets no directory and no lock.
    const before = load();
    if (isProblem(before)) return before;
    return changeText(stateFile, lockFile, ports, (text) => {
      const current = document(text);
      if (isProblem(current)) return current;
      const state = operation(current.state);
      return isProblem(state) ? state : edited({ table: current.table, state });
    });
  }

  function listPlans(phase: string): PlanList | Problem {
    const fault = phaseFault(phase);
    if (fault) return fault;
    const folder = join(dir, "phases", phase, "plans");
    return orProblem(`the plans of phase ${phase} cannot be read`, () => readPlans(folder, phase));
  }

  function settings(): SettingsAnswer | Problem {
    const text = readText(settingsFile);
    return isProblem(text) ? text : settingsAnswer(text);
  }

  return {
    stateGet() {
      const current = load();
      return isProblem(current) ? current : stateJson(current);
    },
    stateInit({ force = false, ...request }) {
      const state = operations.initState(request, at());
      if (isProblem(state)) return state;
      return changeText(stateFile, lockFile, ports, (text) => {
        if (text !== undefined && !force) return alreadyThere(text);
        const next = edited({ table: {}, state });
        return isProblem(next) ? next : { ...next, keepOldAs: join(dir, "state.previous.toml") };
      });
    },
    stateTransition: (request) => change((state) => operations.transition(state, request, at())),
    stateAddBlocker: (request) => change((state) => operations.addBlocker(state, request, at())),
    stateResolveBlocker: (request) => change((state) => operations.resolveBlocker(state, request)),
    stateAdvancePhase: (request) => change((state) => operations.advancePhase(state, request, at())),
    plansList({ phase } = {}) {
      if (phase !== undefined) return listPlans(phase);
      const current = load();
      return isProblem(current) ? current : listPlans(current.state.current.phase);
    },
    status() {
      const current = load();
      if (isProblem(current)) return current;
      const list = listPlans(current.state.current.phase);
      return statusOf(current.state, isProblem(list) ? undefined : list.plans, settings());
    },
    configGet: settings,
    configInit: () =>
      changeText(settingsFile, lockFile, ports, (before) => {
        const text = completeSettings(before);
        if (isProblem(text)) return text;
        const value = settingsAnswer(text);
        return isProblem(value) ? value : { text, value };
      }),
  };
}

function document(text: string | undefined | Problem): StateDocument | Problem {
  if (text === undefined)
    return new Problem("STATE_NOT_FOUND", "This project has no workflow state yet. Start one with state_init.");
  return isProblem(text) ? text : readState(text);
}

function edited(next: StateDocument) {
  const text = renderState(next);
  return isProblem(text) ? text : { text, value: stateJson(next) };
}

function alreadyThere(text: string): Problem {
  const current = readState(text);
  const what = isProblem(current)
    ? "a state.toml that cannot be read"
    : `a state: ${current.state.project.name}, phase ${current.state.current.phase}, ${current.state.current.step}`;
  return new Problem(
    "INIT_ERROR",
    `This project already has ${what}. Go on from it (status). Only a person who wants to start over gives force.`,
  );
}

function settingsAnswer(text: string | undefined): SettingsAnswer | Problem {
  const read = readSettings(text);
  if (isProblem(read)) return read;
  return { ...read.settings, ...(read.unknownKeys.length > 0 ? { unknown_keys: read.unknownKeys } : {}) };
}

function readPlans(folder: string, phase: string): PlanList | Problem {
  let files: string[];
  try {
    files = readdirSync(folder);
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error;
    return new Problem("NO_PLANS", `Phase ${phase} has no plans yet: write them to .holdfast/phases/${phase}/plans/.`);
  }
  const { plans, ignored } = planNames(files);
  const entries = plans
    .filter((file) => statSync(join(folder, file)).isFile())
    .map((file) => readPlan(file, readFileSync(join(folder, file), "utf8"), files.includes(summaryOf(file))))
    .sort(inOrder);
  return { phase, plans: entries, total: entries.length, ...(ignored.length > 0 ? { ignored } : {}) };
}
