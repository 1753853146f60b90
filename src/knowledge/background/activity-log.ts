/** The one place that says what happened in the background: a file for each day (UTC), a line for each thing. */
import { appendFileSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isJsonObject, type Json } from "../../core/json.ts";
import { makeDirectory } from "../../files/make-directory.ts";
import { shortError } from "./retry.ts";

export const PHASES = ["launched", "started", "done", "failed", "given-up", "skipped", "recovered", "note"] as const;
export type Phase = (typeof PHASES)[number];

export interface Activity {
  readonly ts: string;
  /** Which role of ours: drain, lint, session-start, launcher. */
  readonly hook: string;
  readonly phase: Phase;
  readonly message: string;
  readonly error?: string;
  readonly job?: string;
  readonly session?: string;
}

export type Report = (activity: Omit<Activity, "ts">) => void;

const FILE = /^background-\d{4}-\d\d-\d\d\.jsonl$/;

/** Never throws: what cannot be written down must not end what it is about. Returns whether it was. */
export function recordActivity(logsDir: string, activity: Omit<Activity, "ts">, now = new Date()): boolean {
  const error = activity.error === undefined ? {} : { error: shortError(activity.error) };
  const line: Activity = {
    ts: now.toISOString(),
    ...activity,
    message: shortError(activity.message),
    ...error,
  };
  try {
    makeDirectory(logsDir, 0o700);
    appendFileSync(join(logsDir, `background-${line.ts.slice(0, 10)}.jsonl`), `${JSON.stringify(line)}\n`, {
      mode: 0o600,
    });
    return true;
  } catch {
    return false;
  }
}

export const reporterTo =
  (logsDir: string): Report =>
  (activity) => {
    recordActivity(logsDir, activity);
  };

/** The newest first. Lines that are not ours are passed over. */
export function recentActivity(logsDir: string, count: number): Activity[] {
  const found: Activity[] = [];
  for (const file of daysNewestFirst(logsDir)) {
    const lines = readFileSync(join(logsDir, file), "utf8").split("\n").reverse();
    for (const line of lines) {
      if (found.length >= count) return found;
      const activity = activityOf(line);
      if (activity) found.push(activity);
    }
  }
  return found;
}

function daysNewestFirst(logsDir: string): string[] {
  try {
    return readdirSync(logsDir)
      .filter((name) => FILE.test(name))
      .sort()
      .reverse();
  } catch {
    // Nothing has happened yet.
    return [];
  }
}

function activityOf(line: string): Activity | undefined {
  try {
    const value = JSON.parse(line) as Json;
    const isOne =
      isJsonObject(value) && ["ts", "hook", "phase", "message"].every((key) => typeof value[key] === "string");
    return isOne ? (value as unknown as Activity) : undefined;
  } catch {
    return undefined;
  }
}
