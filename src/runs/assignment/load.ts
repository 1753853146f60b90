/** Reads assignment.md, agent.md and shared task files. */
import type { JsonObject } from "../../core/json.ts";
import type { Effort, LockableField } from "../run.ts";
import type { Assignment } from "./assignment.ts";

/** Where definitions are looked up by name, the project's first. */
export interface DefinitionPlaces {
  /** Each may hold assignments/, agents/, tasks/ and hooks/. */
  readonly dirs: readonly string[];
  /** What `./` and `../` start from. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface AgentDefinition {
  readonly name: string;
  readonly file: string;
  readonly backend: string;
  readonly model: string | null;
  readonly effort: Effort | null;
  readonly launcher: string | { readonly command: string; readonly args: readonly string[] } | null;
  readonly executionEnvironment: string | null;
  readonly backendConfig: JsonObject;
  /** Per backend. */
  readonly backendArgs: Readonly<Record<string, readonly string[]>>;
  readonly timeoutSec: number;
  readonly unrestricted: boolean;
  readonly lockedFields: readonly LockableField[];
  /** The role text, as written. */
  readonly body: string;
}

/** `reference`: a name, or a path that is absolute or begins with ./ or ../ */
export function loadAssignment(_reference: string, _places: DefinitionPlaces): Assignment {
  throw new Error("being built");
}

export function loadAgent(_reference: string, _places: DefinitionPlaces): AgentDefinition {
  throw new Error("being built");
}
