/** Where a shell may stand, and where it would stand had its last command failed. */
import type { Layers } from "./layers.ts";

/** The first is where it stands as far as anybody can tell. */
export type Places = readonly (string | undefined)[];

export interface Failed {
  /** It may well fail: a condition, a `cd` to what is not there. */
  readonly likely: Places;
  /** Only for who reckons with it: `cd x || …`, `if cd x; …`. */
  readonly unlikely: Places;
}

export const NEVER: Failed = { likely: [], unlikely: [] };

interface Standing {
  cwd: string | undefined;
  alsoIn: Places;
  failed: Failed | undefined;
  readonly variables: Layers<string>;
}

export const placesOf = ({ cwd, alsoIn }: Pick<Standing, "cwd" | "alsoIn">): Places =>
  alsoIn.length === 0 ? [cwd] : [cwd, ...alsoIn];

export const placesIfFailed = (shell: Standing): Places =>
  shell.failed ? [...shell.failed.likely, ...shell.failed.unlikely] : placesOf(shell);

const MAX_PLACES = 9;

export function standIn(shell: Standing, places: Places, onTooMany: () => void): void {
  const distinct = [...new Set(places)];
  if (distinct.length > MAX_PLACES) onTooMany();
  const [cwd, ...others] = distinct.slice(0, MAX_PLACES);
  if (cwd !== shell.cwd || others.length > 0) remember(shell, "PWD", others.length > 0 ? undefined : cwd);
  shell.cwd = cwd;
  shell.alsoIn = others;
}

export function remember(
  { variables }: Pick<Standing, "variables">,
  name: string,
  directory: string | undefined,
): void {
  if (directory === undefined) variables.delete(name);
  else variables.set(name, directory);
}
