/** What everything that changes a run needs of the machine around it. src/entry/run makes it of the real things. */
import type { Assignment } from "./assignment/assignment.ts";
import type { Backend } from "./backend.ts";
import type { FreezeContext } from "./hooks/freeze.ts";
import type { PhaseOutcome, PhaseRequest } from "./hooks/phase.ts";
import type { FrozenHook } from "./run.ts";
import type { RunStore } from "./store.ts";

export interface RunPorts {
  readonly store: RunStore;
  /** Throws where there is no such backend. */
  backendOf(id: string): Promise<Backend>;
  runPhase(call: PhaseCall): Promise<PhaseOutcome>;
  freeze(assignment: Assignment, values: FreezeContext["values"]): Promise<readonly FrozenHook[]>;
  /** The repository a directory belongs to: the name of the directory that holds its common git directory, or "unknown". */
  repoOf(cwd: string): Promise<string>;
  /** `{{config_dir}}` and `{{state_dir}}`. */
  readonly places: { readonly configDir: string; readonly stateDir: string };
  readonly env: Readonly<Record<string, string | undefined>>;
  now(): Date;
}

export type PhaseCall = Omit<PhaseRequest, "engine" | "machine" | "now"> & {
  /** Besides the machine's own, for processes that hooks start. */
  readonly env: Readonly<Record<string, string>>;
};
