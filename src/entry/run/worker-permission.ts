/** Whether this machine can and may drive a run that somebody put in the queue: its directory, its program, its code. */
import { existsSync } from "node:fs";
import { type Environment, placesOf } from "../../config/places.ts";
import { isTrusted, readTrust } from "../../config/trust.ts";
import { HoldfastError } from "../../core/errors.ts";
import type { Run } from "../../runs/run.ts";
import { assignmentCode, isOwnFile } from "./definitions.ts";
import type { OpenRuns } from "./ports.ts";

/** In words; undefined: nothing. */
export async function reasonNotHere(runs: OpenRuns, run: Run): Promise<string | undefined> {
  const { cwd, backend, backendConfig } = run.settings;
  if (!existsSync(cwd)) return `its directory ${cwd} is not on this machine`;
  try {
    const found = await (await runs.backendOf(backend)).probe(runs.env, backendConfig);
    if (!found.ok) return found.problem;
  } catch (error) {
    return (error as Error).message;
  }
  return untrustedCode(run, runs.env);
}

/** What a repository brings runs here only if a person agreed to it here, whoever put the run in the queue. */
function untrustedCode(run: Run, env: Environment): string | undefined {
  const trust = readTrust(placesOf(env).stateDir);
  const hint = `holdfast trust --assignment ${run.assignment?.file ?? "<file>"} on this machine`;
  for (const { id, source } of run.hooks) {
    if (source.type !== "module") continue;
    const strange = Object.entries(source.pins).find(
      ([file, hash]) => !isOwnFile(file, env) && !Object.values(trust).some(({ pins }) => pins[file] === hash),
    );
    if (strange) return `nobody here trusted the code of hook ${id} (${strange[0]}); ${hint}`;
  }
  const hasCommands = run.hooks.some(({ source }) => source.type === "builtin" && source.name === "command");
  return hasCommands ? untrustedCommand(run, env, hint) : undefined;
}

function untrustedCommand(run: Run, env: Environment, hint: string): string | undefined {
  const file = run.assignment?.file;
  if (!file || !existsSync(file)) return `the file that brings its commands is not on this machine: ${file}`;
  try {
    const trust = readTrust(placesOf(env).stateDir);
    const strange = assignmentCode(file, { cwd: run.settings.cwd, env }).find((item) => !isTrusted(item, trust));
    return strange && `nobody here trusted ${strange.text}; ${hint}`;
  } catch (error) {
    if (!(error instanceof HoldfastError)) throw error;
    return `its assignment cannot be read here: ${error.message}`;
  }
}
