/** Locked fields: what the agent and the assignment lock together, and who runs into it. */
import { HoldfastError } from "../../core/errors.ts";
import { LOCKABLE_FIELDS, type LockableField } from "../run.ts";
import type { Assignment } from "./assignment.ts";
import type { AgentDefinition } from "./load.ts";

export function lockedFieldsOf(
  agent: Pick<AgentDefinition, "name" | "lockedFields"> | null,
  assignment: Pick<Assignment, "lockedFields" | "body" | "file"> | null,
): readonly LockableField[] {
  if (agent?.lockedFields.includes("instructions") && assignment && assignment.body !== "") {
    throw new HoldfastError(
      "HF1013",
      `agent ${agent.name} locks its instructions, so an assignment with instructions of its own cannot be given to it`,
      { file: assignment.file, hint: "remove the text below the front matter, or take another agent" },
    );
  }
  const locked = new Set([...(agent?.lockedFields ?? []), ...(assignment?.lockedFields ?? [])]);
  return LOCKABLE_FIELDS.filter((field) => locked.has(field));
}

/** Throws where somebody overrides what is locked. */
export function assertUnlocked(locked: readonly LockableField[], overridden: readonly LockableField[]): void {
  const field = overridden.find((name) => locked.includes(name));
  if (field) throw new HoldfastError("HF1013", `${field} is locked by the agent or the assignment`, { key: field });
}
