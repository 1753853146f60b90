/** Where assignments, agents, task files and named hooks are looked up: the project's own first, then the person's. */
import { existsSync } from "node:fs";
import { dirname, join, resolve, sep } from "node:path";
import { type Environment, placesOf } from "../../config/places.ts";
import { isTrusted, readTrust, trustItem } from "../../config/trust.ts";
import type { DefinitionPlaces } from "../../runs/assignment/definition-file.ts";
import type { HookCode } from "../../runs/hooks/freeze.ts";

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
  const { userDir, stateDir, managedDirs } = placesOf(env);
  const own = [userDir, ...managedDirs];
  return (code) => {
    const files = [code.file, ...Object.keys(code.pins)];
    if (files.every((file) => own.some((dir) => file.startsWith(dir + sep)))) return undefined;
    return isTrusted(trustItem(code), readTrust(stateDir));
  };
}
