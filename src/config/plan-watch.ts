/** Whether a plan that is kept still stands, asked on every call: with few looks at the disk. */
import { dirname } from "node:path";
import type { Environment, Standing } from "./places.ts";
import { isOfEnvironment, isOfLook, isOfVersion, type Look, lookAt, type Plan } from "./plan.ts";

export interface PlanWatch {
  isFresh(standing: Standing, env: Environment, version: string): boolean;
}

/** Two changes within one step of a file system's clock bear one stamp. The coarsest steps there are, and one more. */
const COARSE_MS = 3_000;
/** Where stamps hold parts of a second the steps are those of the system, a hundredth of one at most. */
const FINE_MS = 100;

/** How long ago the last change has to be for the next one to show. No program can set the ctime. */
export const settlingMs = ({ ctimeMs }: Pick<Look, "ctimeMs">): number => (ctimeMs % 1_000 === 0 ? COARSE_MS : FINE_MS);

/** Most files a plan was made from are ones that were not there. As long as their directory did not change, none came. */
export function planWatch(plan: Plan, now: () => number = Date.now): PlanWatch {
  const present: Present[] = [];
  const absent: Absent[] = [];
  for (const [path, found] of Object.entries(plan.watched)) {
    if (found !== null) {
      present.push({ path, found, numbers: found.split(":").map(Number) });
      continue;
    }
    const directory = dirname(path);
    const known = absent.find((other) => other.directory === directory);
    if (known) known.paths.push(path);
    else absent.push({ directory, paths: [path], settled: undefined });
  }
  // Who hands in the same environment again has not changed it: its engine is found by its identity too.
  let knownEnv: Environment | undefined;

  function isStillEmpty(known: Absent): boolean {
    const look = lookAt(known.directory);
    if (look === null) return true;
    if (typeof look === "object" && known.settled && isSameLook(look, known.settled)) return true;
    for (const path of known.paths) if (lookAt(path) !== null) return false;
    const isSettled = typeof look === "object" && Math.max(look.ctimeMs, look.mtimeMs) + settlingMs(look) < now();
    known.settled = isSettled ? look : undefined;
    return true;
  }

  return {
    isFresh(standing, env, version) {
      if (!isOfVersion(plan, standing, version)) return false;
      for (const known of present) if (!isStillThere(known)) return false;
      for (const known of absent) if (!isStillEmpty(known)) return false;
      if (env === knownEnv) return true;
      if (!isOfEnvironment(plan, env)) return false;
      knownEnv = env;
      return true;
    },
  };
}

interface Present {
  readonly path: string;
  readonly found: string;
  /** Those of the signature; not numbers where the file could not be looked at. */
  readonly numbers: readonly number[];
}

function isStillThere({ path, found, numbers }: Present): boolean {
  const look = lookAt(path);
  return typeof look === "object" && look !== null ? isOfLook(look, numbers) : look === found;
}

interface Absent {
  readonly directory: string;
  readonly paths: string[];
  /** The directory as it was when they were looked for, if that was old enough to tell later changes. */
  settled: Look | undefined;
}

const isSameLook = (look: Look, other: Look) =>
  look.ctimeMs === other.ctimeMs &&
  look.mtimeMs === other.mtimeMs &&
  look.size === other.size &&
  look.ino === other.ino;
