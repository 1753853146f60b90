/** What a run is made from, as whoever asks for it says it. */
import { HoldfastError } from "../core/errors.ts";
import type { JsonObject } from "../core/json.ts";
import type { Assignment, VarValue } from "./assignment/assignment.ts";
import type { AgentDefinition } from "./assignment/load.ts";
import type { Effort, LockableField } from "./run.ts";

export interface NewRun {
  readonly assignment: Assignment | null;
  readonly agent: AgentDefinition;
  readonly callerCwd: string;
  readonly cliVars: Readonly<Record<string, string>>;
  readonly webVars: Readonly<Record<string, VarValue>>;
  readonly overrides: RunOverrides;
  /** False: it is made ready to be looked at, and started later. */
  readonly isStarted: boolean;
}

export interface RunOverrides {
  readonly cwd?: string;
  readonly backend?: string;
  readonly model?: string | null;
  readonly effort?: Effort | null;
  readonly timeoutSec?: number;
  readonly unrestricted?: boolean;
  readonly maxRetries?: number;
  readonly message?: string | null;
  readonly name?: string | null;
  readonly note?: string | null;
  readonly group?: string | null;
  /** Null: none, even inside a run. */
  readonly parentRun?: string | null;
  readonly dependencies?: readonly string[];
  readonly backendConfig?: JsonObject;
  readonly backendArgs?: readonly string[];
  /** Go on in this session of the backend. */
  readonly backendSession?: string;
  readonly addTasks?: readonly { readonly id?: string; readonly title: string; readonly body: string }[];
}

export const lockedFieldsOf = ({
  agent,
  assignment,
}: Pick<NewRun, "agent" | "assignment">): readonly LockableField[] => [
  ...new Set([...agent.lockedFields, ...(assignment?.lockedFields ?? [])]),
];

const OVERRIDES: Readonly<Partial<Record<LockableField, keyof RunOverrides>>> = {
  cwd: "cwd",
  backend: "backend",
  model: "model",
  effort: "effort",
  message: "message",
  timeoutSec: "timeoutSec",
  unrestricted: "unrestricted",
  maxRetries: "maxRetries",
  tasks: "addTasks",
};

/** Throws HF1026. */
export function checkLocked(overrides: RunOverrides, locked: readonly LockableField[]): void {
  const wrong = locked.filter((field) => {
    const override = OVERRIDES[field];
    return override !== undefined && overrides[override] !== undefined;
  });
  if (wrong.length > 0) throw new HoldfastError("HF1026", `${wrong.join(" and ")} cannot be set: locked`);
}

/** An agent that locks its instructions takes no others. */
export function checkInstructions({ agent, assignment }: NewRun): void {
  if (agent.lockedFields.includes("instructions") && assignment && assignment.body.trim() !== "") {
    throw new HoldfastError(
      "HF1026",
      `agent ${agent.name} locks its instructions, and assignment ${assignment.name} brings its own`,
    );
  }
}
