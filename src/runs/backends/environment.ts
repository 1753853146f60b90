/** What a program that works on a run finds in its environment: which run it is, and the Holdfast that drives it. */
import { delimiter } from "node:path";
import type { Run } from "../run.ts";

export interface RunSurroundings {
  /** Where the run's files are. */
  readonly directory: string;
  /** Where our own program is, so that `holdfast task …` is the same Holdfast that drives the run. */
  readonly binDir: string;
}

/** How many runs may stand above one another: an agent that starts runs that start runs ends here. */
export const MAX_CALL_DEPTH = 8;

export function runEnvironment(
  run: Pick<Run, "id" | "parentRun" | "group">,
  base: NodeJS.ProcessEnv,
  { directory, binDir }: RunSurroundings,
): NodeJS.ProcessEnv {
  // Hooks must judge what the agent does, whoever started the run.
  const { HOLDFAST_INTERNAL: _, HOLDFAST_PARENT_RUN_ID: _parent, HOLDFAST_RUN_GROUP: _group, ...inherited } = base;
  return {
    ...inherited,
    PATH: [binDir, base.PATH].filter(Boolean).join(delimiter),
    HOLDFAST_RUN_ID: run.id,
    HOLDFAST_RUN_DIR: directory,
    ...(run.parentRun === null ? {} : { HOLDFAST_PARENT_RUN_ID: run.parentRun }),
    ...(run.group === null ? {} : { HOLDFAST_RUN_GROUP: run.group }),
    HOLDFAST_CALL_DEPTH: String(callDepth(base) + 1),
  };
}

/** How many runs stand above this process. */
export function callDepth(env: NodeJS.ProcessEnv): number {
  const depth = Number(env.HOLDFAST_CALL_DEPTH ?? 0);
  return Number.isInteger(depth) && depth >= 0 ? depth : MAX_CALL_DEPTH;
}
