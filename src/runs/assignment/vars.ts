/** Variables: from where they may come, in which order, and what must be there when. */
import type { RunVar } from "../run.ts";
import type { Assignment, VarDeclaration, VarValue } from "./assignment.ts";

export interface VarRequest {
  readonly declared: Assignment["vars"];
  /** From the command line, as text. Unknown keys are errors. */
  readonly cli: Readonly<Record<string, string>>;
  readonly web: Readonly<Record<string, VarValue>>;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Of the nearest ancestor that has it. */
  readonly parent: (key: string) => RunVar | undefined;
}

/** Also checks what is required from the start. */
export function resolveVars(_request: VarRequest): Readonly<Record<string, RunVar>> {
  throw new Error("being built");
}

/** After prepare: what must have a value by then. */
export function checkRequired(
  _declared: Readonly<Record<string, VarDeclaration>>,
  _vars: Readonly<Record<string, RunVar>>,
  _at: "initial" | "prepare",
): void {
  throw new Error("being built");
}

/** The values themselves, references to the environment filled in. */
export function valuesOf(
  _vars: Readonly<Record<string, RunVar>>,
  _env: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, VarValue>> {
  throw new Error("being built");
}
