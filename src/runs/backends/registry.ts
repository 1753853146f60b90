/** Every backend there is, by its name: the only list. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { HoldfastError } from "../../core/errors.ts";
import { nearest } from "../../core/nearest.ts";
import type { Backend } from "../backend.ts";
import { claudeCode } from "./claude-code.ts";
import { codex } from "./codex.ts";
import { commandBackend } from "./command.ts";
import { copilot } from "./copilot.ts";
import { gemini } from "./gemini.ts";
import { backendCandidates, backendFile, moduleBackend } from "./module-backend.ts";
import { opencode } from "./opencode.ts";
import { passiveBackend } from "./passive.ts";
import { type ProgramRow, programBackend } from "./program-backend.ts";
import { referenceAgent } from "./reference-agent.ts";

/** Programs of hosts, as data. */
export const PROGRAM_ROWS: readonly ProgramRow[] = [claudeCode, codex, opencode, gemini, copilot];

/** What agent-runner calls them. */
const OTHER_NAMES: Readonly<Record<string, string>> = { claude: claudeCode.id };

export interface Backends {
  /** Throws where there is none of that name. */
  named(id: string): Promise<Backend>;
  ids(): readonly string[];
}

export interface BackendPlaces {
  /** Our own program, as words. */
  readonly holdfast: readonly string[];
  /** The user's config directory, with `backends/`. */
  readonly configDir: string;
  /** What `import … from "holdfast"` means in a backend that a person wrote. */
  readonly packageFile?: string;
}

export function createBackends({ holdfast, configDir, packageFile }: BackendPlaces): Backends {
  const shipped = [
    ...[...PROGRAM_ROWS, referenceAgent(holdfast)].map(programBackend),
    ...[commandBackend, passiveBackend],
  ];
  const ids = () => [...shipped.map(({ id }) => id), ...ownNames(configDir)];
  return {
    ids,
    async named(name) {
      const id = OTHER_NAMES[name] ?? name;
      const found = shipped.find((backend) => backend.id === id);
      if (found) return found;
      const file = backendFile(configDir, name);
      if (file !== undefined) return moduleBackend(name, file, packageFile);
      const meant = nearest(name, ids());
      throw new HoldfastError("HF1041", `there is no backend "${name}"`, {
        hint: `${meant ? `did you mean ${meant}? ` : ""}backends: ${ids().join(", ")}; your own: ${backendCandidates(configDir, "<name>")[0]}`,
      });
    },
  };
}

function ownNames(configDir: string): string[] {
  try {
    return readdirSync(join(configDir, "backends")).filter((name) => backendFile(configDir, name) !== undefined);
  } catch {
    // Nobody wrote one.
    return [];
  }
}
