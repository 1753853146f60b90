/** The host's environment as it stands. While nothing in it changes it is the same object, by which engines know it. */
import type { Environment } from "../../config/places.ts";

let last: Environment = {};

export function standingEnvironment(): Environment {
  const now: Environment = { ...process.env };
  const names = Object.keys(now);
  const same = names.length === Object.keys(last).length && names.every((name) => now[name] === last[name]);
  if (!same) last = now;
  return last;
}
