/** The built-in that an entry names, where it may stand. */
import { HoldfastError } from "../../core/errors.ts";
import type { Json } from "../../core/json.ts";
import { nearest } from "../../core/nearest.ts";
import type { HookEntry } from "../assignment/assignment.ts";
import { plainProblem } from "../plain-problem.ts";
import type { Phase } from "../run.ts";
import type { RunBuiltin } from "./builtins/builtin.ts";
import { RUN_BUILTINS } from "./builtins/registry.ts";

/** `phase`: null where it does not matter. */
export function builtinOf({ source, place }: HookEntry, phase: Phase | null): RunBuiltin {
  const builtin = RUN_BUILTINS.find(({ name }) => name === source.value);
  if (!builtin) {
    const names = RUN_BUILTINS.map(({ name }) => name);
    const meant = nearest(source.value, names);
    const known = `built-ins are ${names.join(", ")}`;
    throw new HoldfastError("HF1008", `there is no built-in hook "${source.value}"; ${known}`, {
      ...place,
      hint: meant ? `did you mean ${meant}?` : known,
    });
  }
  if (phase !== null && !builtin.phases.includes(phase)) {
    throw new HoldfastError("HF1016", `the built-in ${builtin.name} cannot be used in ${phase}`, {
      ...place,
      hint: `it serves ${builtin.phases.join(", ")}`,
    });
  }
  return builtin;
}

export function checkOptions({ config: schema, name }: RunBuiltin, options: Json, { place }: HookEntry): void {
  const result = schema.safeParse(options);
  if (result.success) return;
  const { path, words, hint } = plainProblem(result.error.issues, schema, options);
  const at = ["with", ...path].join(".");
  throw new HoldfastError("HF1016", `${at} of the built-in ${name}: ${words}`, hint ? { ...place, hint } : place);
}
