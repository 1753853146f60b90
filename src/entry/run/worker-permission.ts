/** Whether this machine can and may drive a run that somebody put in the queue: its directory, its program, its code. */
import { existsSync } from "node:fs";
import type { Run } from "../../runs/run.ts";
import { strangeHook, untrustedHook } from "./frozen-trust.ts";
import type { OpenRuns } from "./ports.ts";

/** In words; undefined: nothing. */
export async function reasonNotHere(runs: Pick<OpenRuns, "backendOf" | "env">, run: Run): Promise<string | undefined> {
  const { cwd, backend, backendConfig } = run.settings;
  if (!existsSync(cwd)) return `its directory ${cwd} is not on this machine`;
  try {
    const found = await (await runs.backendOf(backend)).probe(runs.env, backendConfig);
    if (!found.ok) return found.problem;
  } catch (error) {
    return (error as Error).message;
  }
  return untrustedHook(run, runs.env) ?? strangeHook(run, runs.env);
}
