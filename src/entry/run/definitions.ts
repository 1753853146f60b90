/** Where assignments, agents, task files and named hooks are looked up: the project's own first, then the person's. */
import { existsSync } from "node:fs";
import { dirname, join, resolve, sep } from "node:path";
import { type Environment, placesOf } from "../../config/places.ts";
import { isTrusted, readTrust, type TrustItem, trustItem } from "../../config/trust.ts";
import type { DefinitionPlaces } from "../../runs/assignment/definition-file.ts";
import { loadAssignment } from "../../runs/assignment/load.ts";
import { codeOf, type HookCode } from "../../runs/hooks/freeze.ts";

export function definitionPlaces(cwd: string, env: Environment): DefinitionPlaces {
  return { dirs: [...projectDirs(cwd, placesOf(env).homeDir), placesOf(env).userDir], cwd, env };
}

/** `.holdfast` here and above, the nearest first; a home directory is no project. */
function projectDirs(cwd: string, homeDir: string): string[] {
  const dir = resolve(cwd);
  const own = join(dir, ".holdfast");
  const found = dir !== homeDir && existsSync(own) ? [own] : [];
  return dirname(dir) === dir ? found : [...found, ...projectDirs(dirname(dir), homeDir)];
}

export const hookDirs = (places: DefinitionPlaces): string[] => places.dirs.map((dir) => join(dir, "hooks"));

/** What lies in the person's own directory is theirs; what a repository brings needs their agreement to these bytes. */
export function trustOf(env: Environment): (code: HookCode) => boolean | undefined {
  const { stateDir } = placesOf(env);
  return (code) => (isOwn(code, env) ? undefined : isTrusted(trustItem(code), readTrust(stateDir)));
}

const isOwn = ({ file, pins }: HookCode, env: Environment): boolean =>
  [file, ...Object.keys(pins)].every((each) => isOwnFile(each, env));

export function isOwnFile(file: string, env: Environment): boolean {
  const { userDir, managedDirs } = placesOf(env);
  // What a run keeps may come from anybody: `..` does not make a stranger's file ours.
  const path = resolve(file);
  return [userDir, ...managedDirs].some((dir) => path.startsWith(dir + sep));
}

/** What a person is asked about before the hooks of an assignment may run. Nothing of it is loaded. */
export function assignmentCode(
  reference: string,
  { cwd, env }: { cwd: string; env: Environment },
): (TrustItem & HookCode)[] {
  const places = definitionPlaces(cwd, env);
  const assignment = loadAssignment(reference, places);
  const { userDir, stateDir } = placesOf(env);
  const values = {
    ...Object.fromEntries(Object.entries(assignment.vars).map(([key, declared]) => [key, declared.default])),
    ...{ run_id: "", run_group_id: null, cwd, config_dir: userDir, state_dir: stateDir },
    ...{ assignment_name: assignment.name, holdfast_cmd: "holdfast", agent_runner_cmd: "holdfast" },
  };
  return codeOf(assignment, { values, env, hookDirs: hookDirs(places) })
    .filter((code) => !isOwn(code, env))
    .map((code) => ({ ...code, ...trustItem(code), what: code.what }));
}
