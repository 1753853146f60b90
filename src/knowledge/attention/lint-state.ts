/** How many sessions began since the base was last looked over, and what was found then. */
import { join } from "node:path";
import { isJsonObject, type Json } from "../../core/json.ts";
import { readIfThere, writePrivately } from "../background/private-file.ts";
import type { LintReport } from "../base/lint.ts";
import type { TakeLock } from "../lock.ts";
import type { KnowledgePlaces } from "../places.ts";

export interface LintState {
  readonly schema_version: 1;
  readonly sessions_since_last_lint: number;
  readonly last_lint_at: string | null;
  readonly last_errors: number;
  readonly last_findings: number;
  /** Nodes that speak of files that changed after them. */
  readonly last_aged: number;
  /** Counted already: a session that is resumed or compacted is still the same. */
  readonly counted: readonly string[];
}

const EMPTY: LintState = {
  schema_version: 1,
  sessions_since_last_lint: 0,
  last_lint_at: null,
  last_errors: 0,
  last_findings: 0,
  last_aged: 0,
  counted: [],
};

const MAX_COUNTED = 200;

const stateFile = ({ stateDir }: KnowledgePlaces) => join(stateDir, "lint-state.json");
const lockFile = ({ stateDir }: KnowledgePlaces) => join(stateDir, "locks", "lint-state.lock");

/** What is damaged counts as never looked over. */
export function readLintState(places: KnowledgePlaces): LintState {
  try {
    const value = JSON.parse(readIfThere(stateFile(places)) ?? "null") as Json;
    if (!isJsonObject(value) || value.schema_version !== 1 || !Array.isArray(value.counted)) return EMPTY;
    return {
      schema_version: 1,
      sessions_since_last_lint: count(value.sessions_since_last_lint),
      last_lint_at: typeof value.last_lint_at === "string" ? value.last_lint_at : null,
      last_errors: count(value.last_errors),
      last_findings: count(value.last_findings),
      last_aged: count(value.last_aged),
      counted: value.counted.filter((session) => typeof session === "string"),
    };
  } catch {
    return EMPTY;
  }
}

const count = (value: Json | undefined): number =>
  typeof value === "number" && Number.isSafeInteger(value) && value > 0 ? value : 0;

/** Counts a session, once. True: it is the one by which the base is looked over, and the count begins anew. */
export async function countSession(
  places: KnowledgePlaces,
  session: string,
  every: number,
  takeLock: TakeLock,
): Promise<boolean> {
  return change(places, takeLock, (state) => {
    if (state.counted.includes(session)) return { state, result: false };
    const sessions = state.sessions_since_last_lint + 1;
    const isTurn = sessions >= every;
    const counted = [...state.counted, session].slice(-MAX_COUNTED);
    return { state: { ...state, counted, sessions_since_last_lint: isTurn ? 0 : sessions }, result: isTurn };
  });
}

/** Whoever looked the base over says so here, so that what was mended is not told of again. */
export async function recordLint(
  places: KnowledgePlaces,
  { errors, findings, aged }: Pick<LintReport, "errors" | "findings"> & { readonly aged: number },
  now: Date,
  takeLock: TakeLock,
): Promise<void> {
  await change(places, takeLock, (state) => ({
    state: { ...state, last_lint_at: now.toISOString(), last_errors: errors, last_findings: findings, last_aged: aged },
    result: undefined,
  }));
}

async function change<T>(
  places: KnowledgePlaces,
  takeLock: TakeLock,
  work: (state: LintState) => { readonly state: LintState; readonly result: T },
): Promise<T> {
  const lock = await takeLock(lockFile(places));
  try {
    const { state, result } = work(readLintState(places));
    writePrivately(stateFile(places), `${JSON.stringify(state, null, 2)}\n`);
    return result;
  } finally {
    lock.release();
  }
}
