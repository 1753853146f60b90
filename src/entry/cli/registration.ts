/** What `init` and `uninstall` share: which hosts, which level, which files, and how a change is shown. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { placesOf, projectRoot } from "../../config/places.ts";
import { HoldfastError } from "../../core/errors.ts";
import type { FileEdit, Install, InstallTarget, Level } from "../../hosts/host.ts";
import { installerById } from "../../hosts/installers.ts";
import { HOSTS } from "../../hosts/registry.ts";
import { type CommandCall, textFlag } from "./command.ts";
import { difference, paintDifference } from "./difference.ts";
import { near } from "./output.ts";
import type { FileChange } from "./settings-files.ts";

export interface Registration {
  readonly hosts: readonly string[];
  readonly edits: readonly FileEdit[];
  /** Changes that need the person's consent: by them a host is told that they vouch for the registration. */
  readonly consents: readonly FileEdit[];
  readonly projectDir: string;
  readonly stateDir: string;
}

/** `chooseHosts`: those the command takes by itself where none is named. */
export function registrationOf(
  call: CommandCall,
  levels: readonly Level[],
  chooseHosts: (projectDir: string) => readonly string[],
): Registration {
  const places = placesOf(call.env);
  const projectDir = projectRoot({ cwd: call.cwd }, places);
  const hosts = namedHosts(call) ?? chooseHosts(projectDir);
  const installers = hosts.map((id) => {
    const install = installerById(id);
    if (install) return install;
    throw new HoldfastError("HF302", `unknown host "${id}"`, { hint: `hosts: ${knownHosts().join(", ")}` });
  });
  const targets = levels.map(
    (level): InstallTarget => ({
      projectDir,
      homeDir: places.homeDir,
      level,
      program: join(call.distDir, "..", "bin", "holdfast"),
      env: call.env,
      plugin: join(call.distDir, "plugin.cjs"),
      listFiles: (dir) => (existsSync(dir) ? readdirSync(dir).sort() : []),
      readFile: (path) => (existsSync(path) ? readFileSync(path, "utf8") : undefined),
    }),
  );
  const each = (pick: (install: Install, target: InstallTarget) => readonly FileEdit[]) =>
    oncePerFile(targets.flatMap((target) => installers.flatMap((install) => pick(install, target))));
  return {
    hosts,
    edits: each((install, target) => install.edits(target)),
    consents: each((install, target) => install.consents?.(target) ?? []),
    projectDir,
    stateDir: places.stateDir,
  };
}

/** Some hosts keep two levels in one file. */
const oncePerFile = (edits: readonly FileEdit[]) => [...new Map(edits.map((edit) => [edit.path, edit])).values()];

export const knownHosts = () => HOSTS.map(({ id }) => id);

function namedHosts(call: CommandCall): string[] | undefined {
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

/** The level that was asked for; undefined: none was named. */
export function namedLevel({ flags }: CommandCall): Level | undefined {
  if (flags.local && flags.user) throw new HoldfastError("HF701", "--local and --user exclude each other");
  return flags.user ? "user" : flags.local ? "local" : undefined;
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
