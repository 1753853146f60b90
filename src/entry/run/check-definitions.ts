/** Every assignment, agent and task file that a name leads to, read as a run would; and the code they would bring. */
import type { Environment } from "../../config/places.ts";
import type { TrustItem } from "../../config/trust.ts";
import { HoldfastError } from "../../core/errors.ts";
import { listDefinitions } from "../../runs/assignment/definition-file.ts";
import { loadAgent, loadAssignment, loadTask } from "../../runs/assignment/load.ts";
import { assignmentCode, definitionPlaces } from "./definitions.ts";

export interface CheckedDefinitions {
  readonly count: number;
  readonly errors: readonly HoldfastError[];
  /** What hooks of assignments need a person's trust for. */
  readonly code: readonly TrustItem[];
}

export function checkDefinitions(cwd: string, env: Environment): CheckedDefinitions {
  const places = definitionPlaces(cwd, env);
  const errors: HoldfastError[] = [];
  const code: TrustItem[] = [];
  const named = (["assignments", "agents", "tasks"] as const).flatMap((kind) =>
    listDefinitions(kind, places.dirs).map(({ name }) => ({ kind, name })),
  );
  for (const { kind, name } of named) {
    try {
      if (kind === "assignments") {
        loadAssignment(name, places);
        code.push(...assignmentCode(name, { cwd, env }));
      } else if (kind === "agents") loadAgent(name, places);
      else loadTask(name, places);
    } catch (error) {
      if (!(error instanceof HoldfastError)) throw error;
      errors.push(error);
    }
  }
  return { count: named.length, errors, code };
}
