/** Runs that runs start: whose child one is, what it inherits, how deep it may go. */
import { HoldfastError } from "../core/errors.ts";
import type { RunPorts } from "./ports.ts";
import type { Run, RunVar } from "./run.ts";
import { readRun } from "./update.ts";

type Environment = RunPorts["env"];

/** A run may start runs; those may not, unless somebody says so. */
const DEFAULT_MAX_DEPTH = 1;

const depthOf = (env: Environment) => wholeNumber(env, "HOLDFAST_CALL_DEPTH", 0);
const maxDepthOf = (env: Environment) => wholeNumber(env, "HOLDFAST_MAX_CALL_DEPTH", DEFAULT_MAX_DEPTH);

export function checkDepth(env: Environment): void {
  if (depthOf(env) <= maxDepthOf(env)) return;
  throw new HoldfastError(
    "HF1031",
    `this would be a run ${depthOf(env)} levels below the first; ${maxDepthOf(env)} is the limit`,
  );
}

/** What the backend and everything it starts knows of the run it works for. */
export function environmentOf(run: Run, env: Environment): Record<string, string> {
  return {
    HOLDFAST_RUN_ID: run.id,
    HOLDFAST_ATTEMPT: String(run.attempts.length),
    HOLDFAST_RUN_CWD: run.settings.cwd,
    ...(run.group === null ? {} : { HOLDFAST_RUN_GROUP: run.group }),
    ...(run.parentRun === null ? {} : { HOLDFAST_PARENT_RUN_ID: run.parentRun }),
    HOLDFAST_CALL_DEPTH: String(depthOf(env) + 1),
    HOLDFAST_MAX_CALL_DEPTH: String(maxDepthOf(env)),
  };
}

/** The run a new one belongs under: the one that is given, or the one whose backend asks. */
export async function parentOf(ports: RunPorts, given: string | null | undefined): Promise<Run | undefined> {
  const id = given === undefined ? ports.env.HOLDFAST_RUN_ID : given;
  return id === undefined || id === null || id === "" ? undefined : readRun(ports, id);
}

/** Every run above, the nearest first. */
export async function ancestorsOf(ports: RunPorts, parent: Run | undefined): Promise<readonly Run[]> {
  const ancestors: Run[] = [];
  for (let run = parent; run; run = run.parentRun === null ? undefined : await readRun(ports, run.parentRun)) {
    if (ancestors.some(({ id }) => id === run?.id)) {
      throw new HoldfastError("HF1031", `run ${run.id} is among its own parents`);
    }
    ancestors.push(run);
  }
  return ancestors;
}

export const inheritedVar =
  (ancestors: readonly Run[]) =>
  (key: string): RunVar | undefined =>
    ancestors.find(({ vars }) => vars[key] !== undefined)?.vars[key];

function wholeNumber(env: Environment, name: string, otherwise: number): number {
  const text = env[name];
  if (text === undefined || text === "") return otherwise;
  if (!/^\d{1,4}$/.test(text)) throw new HoldfastError("HF1031", `${name} is ${JSON.stringify(text)}, not a number`);
  return Number(text);
}
