/** Which hosts a person has: from what lies in the project and the home, and from the programs on the PATH. */
import { accessSync, constants, existsSync, statSync } from "node:fs";
import { delimiter, join } from "node:path";
import type { Environment } from "../../config/places.ts";
import type { Host } from "../../hosts/host.ts";
import { programById } from "../../hosts/programs.ts";
import { HOSTS } from "../../hosts/registry.ts";

export interface FoundHost {
  readonly host: Host;
  /** What of the host lies in the project. */
  readonly inProject: readonly string[];
  /** What of it lies in the home. */
  readonly inHome: readonly string[];
  /** Its program, where it is on the PATH. */
  readonly program: string | undefined;
}

export interface SearchPlaces {
  readonly projectDir: string;
  readonly homeDir: string;
  readonly env: Environment;
}

export function searchHosts({ projectDir, homeDir, env }: SearchPlaces): FoundHost[] {
  return HOSTS.map((host) => {
    const { commands = [], signs = { project: [], home: [] } } = programById(host.id) ?? {};
    return {
      host,
      inProject: signs.project.filter((sign) => existsSync(join(projectDir, sign))),
      inHome: signs.home.filter((sign) => existsSync(join(homeDir, sign))),
      program: onPath(commands, env.PATH),
    };
  });
}

/** Used in the project, or there to be used. What an old home still holds does not count. */
export const isInUse = ({ inProject, program }: FoundHost): boolean => inProject.length > 0 || program !== undefined;

function onPath(commands: readonly string[], path = ""): string | undefined {
  const directories = path.split(delimiter).filter(Boolean);
  return commands
    .flatMap((command) => directories.map((directory) => join(directory, command)))
    .find((file) => isProgram(file));
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
