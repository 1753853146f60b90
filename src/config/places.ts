/** Where Holdfast keeps and finds things. On the hot path: node built-ins only. */
import { hash } from "node:crypto";
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, isAbsolute, join, resolve } from "node:path";
import type { Layer } from "../core/hook.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

export interface Places {
  readonly managedDirs: readonly string[];
  /** What HOLDFAST_MANAGED_DIR says, as it says it: rules that are said to be somewhere have to be there. */
  readonly namedManagedDir?: string | undefined;
  readonly userDir: string;
  readonly stateDir: string;
  readonly homeDir: string;
  /** Takes the records in the place of a project's own directory: a proof leaves no trace in the project. */
  readonly recordsDir?: string | undefined;
}

export function placesOf(env: Environment): Places {
  const homeDir = env.HOME || homedir();
  // HOLDFAST_MANAGED_DIR adds a directory and never replaces /etc: managed rules cannot be switched off by a variable.
  const namedManagedDir = env.HOLDFAST_MANAGED_DIR || undefined;
  // A relative one would be another for every process that reads it.
  const named = namedManagedDir !== undefined && isAbsolute(namedManagedDir) ? [resolve(namedManagedDir)] : [];
  const managedDirs = ["/etc/holdfast", ...named];
  const userDir = env.HOLDFAST_CONFIG_DIR || join(env.XDG_CONFIG_HOME || join(homeDir, ".config"), "holdfast");
  const stateDir = env.HOLDFAST_STATE_DIR || join(env.XDG_STATE_HOME || join(homeDir, ".local", "state"), "holdfast");
  const recordsDir = env.HOLDFAST_RECORDS_DIR ? resolve(env.HOLDFAST_RECORDS_DIR) : undefined;
  return { managedDirs, namedManagedDir, userDir: resolve(userDir), stateDir: resolve(stateDir), homeDir, recordsDir };
}

export const FORMATS = ["yaml", "yml", "toml", "json"] as const;

/** One place where a config file may stand, strongest layer first. */
export interface ConfigPlace {
  readonly layer: Layer;
  readonly dir: string;
  readonly candidates: readonly string[];
}

/**
 * Every directory from the outermost down to cwd may hold project rules, and all of them apply: a file nearer to the
 * agent adds to the ones above it. Otherwise an agent could shed a project's rules by changing into a directory of its own.
 */
export function configPlaces(standing: Standing, places: Places): ConfigPlace[] {
  const at = (layer: Layer, dir: string, stem: string): ConfigPlace => ({
    layer,
    dir,
    candidates: FORMATS.map((format) => join(dir, `${stem}.${format}`)),
  });
  const dirs = ruleDirs(standing, places).filter((dir) => dir !== places.userDir);
  return [
    ...places.managedDirs.map((dir) => at("managed", dir, "holdfast")),
    at("user", places.userDir, "holdfast"),
    ...dirs.map((dir) => at("project", dir, "holdfast")),
    ...dirs.map((dir) => at("local", dir, "holdfast.local")),
  ];
}

/** The directory whose `.holdfast/` takes the records: the outermost with rules, else the repository, else cwd. */
export function projectRoot(standing: Standing, places: Places): string {
  const dirs = ruleDirs(standing, places);
  const ruled = dirs.find((dir) => RULE_MARKS.some((mark) => existsSync(join(dir, mark))));
  return ruled ?? dirs.find((dir) => existsSync(join(dir, ".git"))) ?? resolve(standing.projectDir ?? standing.cwd);
}

/** Where the agent is now, and where its session began: rules of both hold, so that `cd` sheds none. */
export interface Standing {
  readonly cwd: string;
  readonly projectDir?: string | undefined;
}

const ruleDirs = ({ cwd, projectDir }: Standing, { homeDir }: Places) => {
  const dirs = [...(projectDir ? ancestors(projectDir) : []), ...ancestors(cwd)];
  return [...new Set(dirs)].filter((dir) => dir !== homeDir && dirname(dir) !== dir);
};

const RULE_MARKS = [".holdfast", ...FORMATS.map((format) => `holdfast.${format}`)];

function ancestors(cwd: string): string[] {
  const dir = resolve(cwd);
  const parent = dirname(dir);
  return parent === dir ? [dir] : [...ancestors(parent), dir];
}

export const sha256 = (data: string | Uint8Array): string => hash("sha256", data, "hex");

const MAX_NAMES = 1_000;
const names = new Map<string, string>();

/** A file's name for a text of any length and characters. The same few are asked for on every call. */
export function fileNameFor(text: string): string {
  const known = names.get(text);
  if (known !== undefined) return known;
  if (names.size >= MAX_NAMES) names.clear();
  const name = sha256(text).slice(0, 32);
  names.set(text, name);
  return name;
}
