/** A rule over what commands do. Rules are data: why, what instead, and the cases that prove both sides. */
import type { CommandEffect } from "../../shell/effect.ts";
import type { World } from "./world.ts";

export type Severity = "block" | "ask" | "warn";

export interface Rule {
  /** `pack/name`. */
  readonly id: string;
  readonly severity: Severity;
  /** Goes on after the command: "deletes everything in your home directory". */
  readonly why: string | ((effect: CommandEffect) => string);
  /** What the model is to do instead. Commands in backticks must be allowed themselves; a test holds that. */
  readonly instead: string;
  matches(effect: CommandEffect, world: World): boolean;
  /** Commands that must be stopped by this rule, and near misses that this rule must leave alone. */
  readonly stops: readonly Case[];
  readonly passes: readonly Case[];
}

/** Judged in CASE_WORLD's directory, unless it names another. */
export type Case = string | { readonly command: string; readonly cwd: string };

export interface Pack {
  readonly name: string;
  readonly doc: string;
  readonly rules: readonly Rule[];
}

/** Types one rule's effect, so that its functions need no casts. */
export function rule<T extends CommandEffect["type"]>(
  effect: T | readonly T[],
  definition: Omit<Rule, "matches" | "why"> & {
    readonly why: string | ((effect: Extract<CommandEffect, { type: T }>) => string);
    when(effect: Extract<CommandEffect, { type: T }>, world: World): boolean;
  },
): Rule {
  const types: readonly string[] = Array.isArray(effect) ? effect : [effect as string];
  const { when, why, ...rest } = definition;
  if (rest.stops.length === 0 || rest.passes.length === 0) {
    throw new Error(`rule ${rest.id} does not load: it needs commands it stops and commands it passes`);
  }
  return {
    ...rest,
    why: why as Rule["why"],
    matches: (found, world) => types.includes(found.type) && when(found as Extract<CommandEffect, { type: T }>, world),
  };
}
