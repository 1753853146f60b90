/**
 * The sign of whoever hands in: a file whose time is the last sign of life, and whose content is the problem that people
 * were told of last; empty: there is none. On the hot path.
 */
import { closeSync, futimesSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { references } from "../config/interpolate.ts";
import { type Environment, type Places, sha256 } from "../config/places.ts";
import type { PlanSettings } from "../config/plan.ts";
import { makeDirectory } from "../files/make-directory.ts";
import { type AppendSoon, appendRecords } from "../records/journal.ts";
import { journalOf, type Recorded } from "./journals.ts";

export type HandInPlace = NonNullable<PlanSettings["handIn"]>;

/** What is found by this beginning in the directory of signs. */
export const SIGN_BEGINNING = "hand-in-";
export const signsDir = ({ stateDir }: Pick<Places, "stateDir">) => join(stateDir, "run");

/** The variables that say which server it is and who asks. */
export const variablesOf = ({ server, tokenEnv }: HandInPlace) => [tokenEnv, ...references(server)];

/** Of each token its own: whoever hands in with one that is revoked must hold up nobody who has a new one. */
export function signOfHandIn(place: HandInPlace, env: Environment, places: Pick<Places, "stateDir">): string {
  const values = variablesOf(place).map((name) => [name, env[name] ?? null]);
  const digest = sha256(JSON.stringify([place.server, values])).slice(0, 16);
  return join(signsDir(places), `${SIGN_BEGINNING}${digest}`);
}

/** Its content stays. */
export function giveSignOfLife(sign: string): void {
  makeDirectory(dirname(sign), 0o700);
  const descriptor = openSync(sign, "a", 0o600);
  try {
    const now = Date.now() / 1_000;
    futimesSync(descriptor, now, now);
  } finally {
    closeSync(descriptor);
  }
}

export interface Told {
  readonly problem: string;
  readonly at: number;
}

export function toldLast(sign: string): Told | undefined {
  try {
    return JSON.parse(readFileSync(sign, "utf8")) as Told;
  } catch {
    // Not there, empty, or half written: then it is told once too often rather than not at all.
    return undefined;
  }
}

const TOLD_AGAIN_MS = 24 * 60 * 60 * 1_000;

export interface Concerned extends Recorded {
  readonly places: Places;
  readonly append?: AppendSoon | undefined;
}

/** Where people look, `holdfast notices` of the project, unless it was the last thing they were told, within a day. */
export function tellOfHandIn(problem: string, sign: string, { places, append = appendRecords, ...project }: Concerned) {
  const told = toldLast(sign);
  const at = Date.now();
  if (told?.problem === problem && Math.abs(at - told.at) < TOLD_AGAIN_MS) return;
  giveSignOfLife(sign);
  writeFileSync(sign, JSON.stringify({ problem, at } satisfies Told));
  const notice = { event_name: "hand_in", hook: null, is_error: true, code: "hand-in", host: "holdfast", session: "" };
  const timestamp = new Date(at).toISOString();
  void append(journalOf("notices", project, places), [{ timestamp, ...notice, message: problem }]);
}
