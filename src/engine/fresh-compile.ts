/** The cold path: reads the config with everything it takes and stores the plan. */
import { type Compiled, compilePlan } from "../config/compile.ts";
import type { Environment, Places } from "../config/places.ts";
import { type Plan, signature, writePlan } from "../config/plan.ts";
import { builtinPlanHook, builtinPlanHooks, CATALOGUE } from "./builtins.ts";
import { loadModules, loadRegex } from "./lazy.ts";
import { VERSION } from "./version.ts";

export interface CompileRequest {
  readonly cwd: string;
  readonly projectDir?: string | undefined;
  readonly env: Environment;
  readonly places: Places;
  readonly distDir: string;
}

export async function compileFresh({ cwd, projectDir, env, places, distDir }: CompileRequest): Promise<Compiled> {
  const regex = await loadRegex();
  const modules = (await loadModules()).moduleRuns(distDir, places.stateDir, env);
  try {
    const compiled = await compilePlan({
      cwd,
      projectDir,
      env,
      places,
      catalogue: CATALOGUE,
      version: VERSION,
      builtins: builtinPlanHooks,
      builtin: builtinPlanHook,
      regex: () => regex,
      describeModule: modules.describe,
    });
    return { ...compiled, plan: watchingProgram(compiled.plan, distDir) };
  } finally {
    await modules.close();
  }
}

/** A plan made by other code than the one that runs is stale, also between two builds of one version. */
const watchingProgram = (plan: Plan, distDir: string): Plan => {
  const program = `${distDir}/hook.cjs`;
  return { ...plan, watched: { ...plan.watched, [program]: signature(program) } };
};

/** A plan that cannot be stored only costs time: the next call compiles again. */
export function storePlan(plan: Plan, places: Places): string | undefined {
  try {
    writePlan(plan, places);
    return undefined;
  } catch (error) {
    return `the compiled plan could not be stored, so every call takes longer: ${(error as Error).message}`;
  }
}
