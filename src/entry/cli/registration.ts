/** What `init`, `uninstall` and `doctor` share: which hosts, which level, which files, and how a change is shown. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { placesOf, projectRoot } from "../../config/places.ts";
import { HoldfastError } from "../../core/errors.ts";
import { nearest } from "../../core/nearest.ts";
import type { FileEdit, Install, InstallTarget, Level } from "../../hosts/host.ts";
import { installerById } from "../../hosts/installers.ts";
import { HOSTS } from "../../hosts/registry.ts";
import { programOf } from "../native/client.ts";
import { type CommandCall, textFlag } from "./command.ts";
import { difference, paintDifference } from "./difference.ts";
import { managedProgram, packageProgram } from "./managed-program.ts";
import { near } from "./output.ts";
import type { FileChange } from "./settings-files.ts";

export interface Project {
  readonly projectDir: string;
  readonly homeDir: string;
  readonly stateDir: string;
}

export function projectOf(call: CommandCall): Project {
  const places = placesOf(call.env);
  const projectDir = projectRoot({ cwd: call.cwd }, places);
  return { projectDir, homeDir: places.homeDir, stateDir: places.stateDir };
}

/** A host on a level. */
export interface Registration {
  readonly host: string;
  readonly install: Install;
  readonly target: InstallTarget;
}

export function registrations(
  call: CommandCall,
  { projectDir, homeDir }: Project,
  hosts: readonly string[],
  levels: readonly Level[],
  own = hookProgram(call.distDir, placesOf(call.env).stateDir),
): Registration[] {
  return levels.flatMap((level) =>
    hosts.map((host) => {
      const target: InstallTarget = {
        projectDir,
        homeDir,
        level,
        program: level === "managed" ? managedProgram(call.distDir) : own,
        plugin: join(call.distDir, "plugin.cjs"),
        env: call.env,
        listFiles: (dir) => (existsSync(dir) ? readdirSync(dir).sort() : []),
        readFile: (path) => (existsSync(path) ? readFileSync(path, "utf8") : undefined),
      };
      return { host, install: installerOf(host), target };
    }),
  );
}

/** What a person's hosts call: the native client or the launcher, where there is one. */
export const hookProgram = (distDir: string, stateDir: string): string =>
  programOf({ distDir, stateDir }) ?? packageProgram(distDir);

export function installerOf(id: string): Install {
  const install = installerById(id);
  if (install) return install;
  throw unknownHost(id);
}

export function unknownHost(id: string): HoldfastError {
  const meant = nearest(id, knownHosts());
  const hint = meant ? `did you mean ${meant}?` : `hosts: ${knownHosts().join(", ")}`;
  return new HoldfastError("HF302", `unknown host "${id}"`, { hint });
}

export const editsOf = (all: readonly Registration[]): FileEdit[] =>
  oncePerFile(all.flatMap(({ install, target }) => install.edits(target)));

/** `changes`: what will have been written by then; a person vouches for what is registered, not for what was. */
export function consentsOf(all: readonly Registration[], changes: readonly FileChange[]): FileEdit[] {
  const written = new Map(changes.map(({ path, after }) => [path, after]));
  return oncePerFile(
    all.flatMap(({ install, target }) => {
      const readFile = (path: string) => (written.has(path) ? written.get(path) : target.readFile(path));
      return install.consents?.({ ...target, readFile }) ?? [];
    }),
  );
}

/** Some hosts keep two levels in one file. */
const oncePerFile = (edits: readonly FileEdit[]) => [...new Map(edits.map((edit) => [edit.path, edit])).values()];

export const knownHosts = () => HOSTS.map(({ id }) => id);

/** Those that --hosts names. */
export function namedHosts(call: CommandCall): string[] | undefined {
  const text = textFlag(call, "hosts");
  if (text === undefined) return undefined;
  const names = text
    .split(",")
    .map((name) => name.trim())
    .filter(Boolean);
  if (names.length === 0)
    throw new HoldfastError("HF701", "--hosts names no host", { hint: `hosts: ${knownHosts().join(", ")}` });
  return [...new Set(names)];
}

const LEVEL_FLAGS = ["local", "user", "managed"] as const;

/** The level that was asked for; undefined: none was named. */
export function namedLevel({ flags }: CommandCall): Level | undefined {
  const [level, other] = LEVEL_FLAGS.filter((name) => flags[name]);
  if (other) throw new HoldfastError("HF701", `--${level} and --${other} exclude each other`);
  return level;
}

export function showChange({ path, before, after }: FileChange, { output, cwd }: CommandCall): void {
  const name = near(path, cwd);
  const oldTitle = before === undefined ? "(new)" : "";
  const newTitle = after === undefined ? "(removed)" : "";
  for (const line of difference(
    name,
    { text: before ?? "", title: oldTitle },
    { text: after ?? "", title: newTitle },
  )) {
    output.line(paintDifference(line, output));
  }
}
