/** What a drain remembers for the next one: how much of today's budget is used, and what failed how often. */
import { join } from "node:path";
import { isJsonObject, type Json } from "../../core/json.ts";
import { readIfThere, writePrivately } from "../background/private-file.ts";
import type { KnowledgePlaces } from "../places.ts";

export interface DrainState {
  readonly schema_version: 1;
  /** Runs on this day (UTC). */
  readonly day: string;
  readonly runs: number;
  /** By session: what of it failed, and when it is tried again. */
  readonly failures: Readonly<Record<string, DrainFailure>>;
  readonly finished_at: string | null;
  /** The logs as the last drain left them, in a hash: another one means that something has changed since. */
  readonly seen: string | null;
  /** How many of these still waited for a program that can be asked. */
  readonly waiting: number;
}

export interface DrainFailure {
  /** The transcript that failed: another one is a new beginning. */
  readonly transcript_hash: string;
  readonly tries: number;
  readonly not_before: string | null;
  readonly error: string;
}

export const drainLockFile = ({ stateDir }: KnowledgePlaces): string => join(stateDir, "drain.lock");
export const jobsDirOf = ({ stateDir }: KnowledgePlaces): string => join(stateDir, "jobs");
const stateFile = ({ stateDir }: KnowledgePlaces) => join(stateDir, "drain.json");

const EMPTY: DrainState = {
  schema_version: 1,
  day: "",
  runs: 0,
  failures: {},
  finished_at: null,
  seen: null,
  waiting: 0,
};

/** What is damaged counts as nothing remembered, but for the budget: that is then used up for the day. */
export function readDrainState(places: KnowledgePlaces, now: Date): DrainState {
  const day = now.toISOString().slice(0, 10);
  const text = readIfThere(stateFile(places));
  if (text === undefined) return { ...EMPTY, day };
  const read = parsed(text);
  if (!read) return { ...EMPTY, day, runs: Number.MAX_SAFE_INTEGER };
  return read.day === day ? read : { ...read, day, runs: 0 };
}

/** The file may have come with a repository: a count below nothing would be a budget without end. */
const isCount = (value: Json | undefined): boolean => Number.isSafeInteger(value) && Number(value) >= 0;

const isFailure = (value: unknown): boolean =>
  isJsonObject(value) && isCount(value.tries) && typeof value.transcript_hash === "string";

function parsed(text: string): DrainState | undefined {
  try {
    const value = JSON.parse(text) as Json;
    const isOne =
      isJsonObject(value) && value.schema_version === 1 && isCount(value.runs) && isJsonObject(value.failures);
    if (!isOne) return undefined;
    const state = value as unknown as DrainState;
    const failures = Object.entries(state.failures).filter(([, failure]) => isFailure(failure));
    return { ...state, failures: Object.fromEntries(failures) };
  } catch {
    return undefined;
  }
}

export function writeDrainState(places: KnowledgePlaces, state: DrainState): void {
  writePrivately(stateFile(places), `${JSON.stringify(state, null, 2)}\n`);
}
