/** From a directory to an engine that is ready to judge: the plan if it is fresh, a compiled one if not. */
import type { Desk } from "../approvals/desk.ts";
import { type Environment, type Places, placesOf } from "../config/places.ts";
import { type Plan, readFreshPlan } from "../config/plan.ts";
import type { Hook } from "../core/hook.ts";
import type { Machine } from "../hooks/builtin.ts";
import type { AppendSoon } from "../records/journal.ts";
import type { NewestFirst } from "../records/newest-first.ts";
import { assembleHooks, needsModules, needsRegex } from "./assemble.ts";
import type { DeskPlace, Desks } from "./desks.ts";
import type { CompileRequest } from "./fresh-compile.ts";
import { startHandIn } from "./hand-in-start.ts";
import { loadCompiler, loadDesks, loadModules, loadRegex, type ModuleRuns } from "./lazy.ts";
import { machineOf } from "./machine.ts";
import { VERSION } from "./version.ts";

export interface ReadyEngine {
  readonly plan: Plan;
  readonly places: Places;
  readonly hooks: readonly Hook[];
  /** What its hooks ask; for hooks that join them. */
  readonly machine: Machine;
  /** What went wrong on the way and stops nothing, in a person's words: for the first who asks, who tells them. */
  readonly takeRemarks: () => readonly string[];
  /** How records are written; absent: each time anew. */
  readonly append?: AppendSoon | undefined;
  /** Where approvals are kept; opened when somebody asks. */
  readonly desk: () => Promise<Desk>;
  /** The run that the agent works on. */
  readonly run?: string | undefined;
  /** Sees to it that records reach the server that the config names; to be called when the call is over. */
  readonly handIn: () => void;
  /** Ends what hooks may have left running. */
  close(): Promise<void>;
}

/** How a process that answers many calls reads and writes records; absent: each time anew. */
export interface RecordAccess {
  readonly append?: AppendSoon;
  readonly newestFirst?: NewestFirst;
  /** Nothing is counted: somebody only asks what would happen. */
  readonly rehearsal?: boolean;
  /** Of a process that keeps them open from call to call; absent: opened and closed with the engine. */
  readonly desks?: DeskSource;
}

export type DeskSource = (place: DeskPlace) => Promise<Desk>;

export async function readyEngine(
  cwd: string,
  env: Environment,
  distDir: string,
  projectDir?: string,
  records: RecordAccess = {},
): Promise<ReadyEngine> {
  const places = placesOf(env);
  const fresh = readFreshPlan({ cwd, projectDir }, places, env, VERSION);
  const { plan, remarks } = fresh
    ? { plan: fresh, remarks: [] }
    : await compiledPlan({ cwd, projectDir, env, places, distDir });
  return engineOf({ plan, remarks, places, env, distDir }, records);
}

interface Made extends Pick<ReadyEngine, "plan" | "places"> {
  readonly remarks: readonly string[];
  readonly env: Environment;
  readonly distDir: string;
}

/** The engine of a plan that is there. */
export async function engineOf(
  { plan, remarks, places, env, distDir }: Made,
  records: RecordAccess,
): Promise<ReadyEngine> {
  const regex = needsRegex(plan) ? await loadRegex() : undefined;
  const modules: ModuleRuns | undefined = needsModules(plan)
    ? (await loadModules()).moduleRuns(distDir, places.stateDir, env)
    : undefined;
  const { append, desks } = records;
  let own: Desks | undefined;
  const desk = async () => {
    const place = { settings: plan.settings.approvals, places, env };
    if (desks) return desks(place);
    own ??= (await loadDesks()).openDesks();
    return own.at(place);
  };
  const machine = machineOf(plan, places, { ...records, desk, env, distDir });
  const hooks = assembleHooks(plan, { env, machine, regex, modules });
  const close = async () => {
    await modules?.close();
    await own?.close();
  };
  const handIn = () => startHandIn(plan, places, env, distDir, append);
  const run = env.HOLDFAST_RUN_ID;
  let untold = remarks;
  const takeRemarks = () => {
    const told = untold;
    untold = [];
    return told;
  };
  return {
    ...{ plan, places, hooks, machine, takeRemarks, desk, handIn, close },
    ...(append ? { append } : {}),
    ...(run ? { run } : {}),
  };
}

async function compiledPlan(request: CompileRequest): Promise<{ plan: Plan; remarks: readonly string[] }> {
  const { compileFresh, storePlan } = await loadCompiler();
  const { plan } = await compileFresh(request);
  const problem = storePlan(plan, request.places);
  return { plan, remarks: problem ? [problem] : [] };
}
