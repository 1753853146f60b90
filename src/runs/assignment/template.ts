/**
 * `{{key}}`, filled in as a run is made. One rule, everywhere: an unknown key is an error that names the nearest one; a
 * declared variable without a value is an empty text; `\{{` is a pair of braces. What was filled in is not looked at again.
 */
import { type ErrorPlace, HoldfastError } from "../../core/errors.ts";
import { isJsonObject, type Json } from "../../core/json.ts";
import { nearest } from "../../core/nearest.ts";
import type { Run } from "../run.ts";
import type { VarValue } from "./assignment.ts";

/** null: declared, and without a value. */
export type TemplateValues = Readonly<Record<string, VarValue | null>>;

/** Always there, and stronger than a variable of the same name. */
export const INJECTED_KEYS = [
  "run_id",
  "run_group_id",
  "cwd",
  "config_dir",
  "state_dir",
  "assignment_name",
  "holdfast_cmd",
  "agent_runner_cmd",
] as const;

export interface Surroundings {
  readonly run: Pick<Run, "id" | "group">;
  readonly cwd: string;
  readonly configDir: string;
  readonly stateDir: string;
  readonly assignment: string | null;
  /** How the agent calls us: `holdfast`, or the way to it. */
  readonly command: string;
}

export function injectedValues(around: Surroundings): Readonly<Record<(typeof INJECTED_KEYS)[number], string | null>> {
  return {
    run_id: around.run.id,
    run_group_id: around.run.group,
    cwd: around.cwd,
    config_dir: around.configDir,
    state_dir: around.stateDir,
    assignment_name: around.assignment,
    holdfast_cmd: around.command,
    agent_runner_cmd: around.command,
  };
}

const TOKEN = /\\\{\{|\{\{\s*([A-Za-z0-9_.-]+)\s*\}\}/g;

export function fillTemplate(text: string, values: TemplateValues, place: ErrorPlace = {}): string {
  return replaceKeys(text, (key) => {
    assertKnown(key, Object.keys(values), place);
    return String(values[key] ?? "");
  });
}

/** Before prepare: keys that nobody knows yet are left for it to set. */
export function fillKnown(text: string, values: TemplateValues): string {
  return replaceKeys(text, (key) => (Object.hasOwn(values, key) ? String(values[key] ?? "") : `{{${key}}}`));
}

/** `literal`: what becomes of the text between the keys. */
export function replaceKeys(
  text: string,
  fill: (key: string) => string,
  literal: (text: string) => string = (same) => same,
): string {
  let filled = "";
  let end = 0;
  for (const { 0: token, 1: key, index } of text.matchAll(TOKEN)) {
    filled += literal(text.slice(end, index)) + (key === undefined ? "{{" : fill(key));
    end = index + token.length;
  }
  return filled + literal(text.slice(end));
}

/** The text before, between and after the keys: one more than there are keys. */
export function literalsOf(text: string): readonly string[] {
  const literals: string[] = [];
  let literal = "";
  let end = 0;
  for (const { 0: token, 1: key, index } of text.matchAll(TOKEN)) {
    literal += text.slice(end, index);
    if (key === undefined) literal += "{{";
    else {
      literals.push(literal);
      literal = "";
    }
    end = index + token.length;
  }
  return [...literals, literal + text.slice(end)];
}

export function keysIn(value: Json): string[] {
  if (typeof value === "string")
    return [...value.matchAll(TOKEN)].flatMap(([, key]) => (key === undefined ? [] : [key]));
  if (Array.isArray(value)) return value.flatMap(keysIn);
  return isJsonObject(value) ? Object.values(value).flatMap(keysIn) : [];
}

export function assertKnown(key: string, known: readonly string[], place: ErrorPlace): void {
  if (known.includes(key)) return;
  const meant = nearest(key, known);
  throw new HoldfastError("HF1010", `unknown key {{${key}}}`, {
    ...place,
    ...(meant ? { hint: `did you mean {{${meant}}}?` } : {}),
  });
}
