/** The one policy for everything in the background that fails: again, later each time, and at some point not any more. */
import { redact } from "../../core/redact.ts";

export const MAX_TRIES = 5;

const FIRST_PAUSE_MS = 60_000;
const FACTOR = 5;
const LONGEST_PAUSE_MS = 6 * 60 * 60_000;

/** When to try again after so many tries; null: it is given up and waits for a person. */
export function nextTryAt(tries: number, now: Date, maxTries = MAX_TRIES): Date | null {
  if (tries >= maxTries) return null;
  return new Date(now.getTime() + Math.min(FIRST_PAUSE_MS * FACTOR ** Math.max(0, tries - 1), LONGEST_PAUSE_MS));
}

/** A time further off than any pause is a clock that was wrong, or nobody's: it is not waited for. */
export function isDue(notBefore: string | null, now: Date): boolean {
  const waitMs = notBefore === null ? 0 : Date.parse(notBefore) - now.getTime();
  return !(waitMs > 0 && waitMs <= LONGEST_PAUSE_MS);
}

const LONGEST_ERROR = 500;

/** One line that a status can show and a file can keep: programs put their keys into what they complain of. */
export function shortError(message: string): string {
  const line = redact(message).replace(/\s+/g, " ").trim();
  return line.length <= LONGEST_ERROR ? line : `${line.slice(0, LONGEST_ERROR)}...`;
}
