/** What `init` and `uninstall` share: which hosts, which level, which files, and how a change is shown. */
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { createTwoFilesPatch } from "diff";
import { placesOf, projectRoot } from "../../config/places.ts";
import { HoldfastError } from "../../core/errors.ts";
import type { FileEdit, InstallTarget } from "../../hosts/host.ts";
import { installerById } from "../../hosts/installers.ts";
import { HOSTS } from "../../hosts/registry.ts";
import { type CommandCall, textFlag } from "./command.ts";
import { near } from "./output.ts";
import type { FileChange } from "./settings-files.ts";

export interface Registration {
  readonly hosts: readonly string[];
  readonly edits: readonly FileEdit[];
  readonly projectDir: string;
  readonly stateDir: string;
}

/** `undefined` hosts: those the command chooses by itself. */
export function registrationOf(
  call: CommandCall,
  chooseHosts: (projectDir: string) => readonly string[],
): Registration {
  const places = placesOf(call.env);
  const projectDir = projectRoot({ cwd: call.cwd }, places);
  const hosts = namedHosts(call) ?? chooseHosts(projectDir);
  const target: InstallTarget = {
    projectDir,
    homeDir: places.homeDir,
    level: levelOf(call),
    program: join(call.distDir, "..", "bin", "holdfast"),
    env: call.env,
    listFiles: (dir) => (existsSync(dir) ? readdirSync(dir).sort() : []),
  };
  const edits = hosts.flatMap((id) => {
    const install = installerById(id);
    if (!install)
      throw new HoldfastError("HF302", `unknown host "${id}"`, { hint: `hosts: ${knownHosts().join(", ")}` });
    return install.edits(target);
  });
  return { hosts, edits, projectDir, stateDir: places.stateDir };
}

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

function levelOf({ flags }: CommandCall): InstallTarget["level"] {
  if (flags.local && flags.user) throw new HoldfastError("HF701", "--local and --user exclude each other");
  return flags.user ? "user" : flags.local ? "local" : "project";
}

export function showChange({ path, before, after }: FileChange, { output, cwd }: CommandCall): void {
  const name = near(path, cwd);
  const patch = createTwoFilesPatch(
    name,
    name,
    before ?? "",
    after ?? "",
    before === undefined ? "(new)" : "",
    after === undefined ? "(removed)" : "",
    { context: 2 },
  );
  for (const line of patch.split("\n").slice(1, -1)) {
    output.line(
      line.startsWith("+") ? output.paint("green", line) : line.startsWith("-") ? output.paint("red", line) : line,
    );
  }
}
