/** Whether a plan that is kept still stands, asked on every call: with few looks at the disk. */
import { dirname } from "node:path";
import type { Environment, Standing } from "./places.ts";
import { isOfEnvironment, isOfVersion, type Plan, signature } from "./plan.ts";

export interface PlanWatch {
  isFresh(standing: Standing, env: Environment, version: string): boolean;
}

/** The coarsest time stamps there are, and one more: a change this long ago shows in them. */
const SETTLED_MS = 3_000;

/** Most files a plan was made from are ones that were not there. As long as their directory did not change, none came. */
export function planWatch(plan: Plan, now: () => number = Date.now): PlanWatch {
  const present: [path: string, signature: string][] = [];
  const absent = new Map<string, Absent>();
  for (const [path, found] of Object.entries(plan.watched)) {
    if (found !== null) {
      present.push([path, found]);
      continue;
    }
    const directory = dirname(path);
    const known = absent.get(directory) ?? { paths: [], settled: undefined };
    known.paths.push(path);
    absent.set(directory, known);
  }

  function isStillEmpty(directory: string, known: Absent): boolean {
    const before = signature(directory);
    if (before === null) return true;
    if (known.settled !== undefined && before === known.settled) return true;
    if (known.paths.some((path) => signature(path) !== null)) return false;
    known.settled = changedAt(before) + SETTLED_MS < now() ? before : undefined;
    return true;
  }

  return {
    isFresh(standing, env, version) {
      if (!isOfVersion(plan, standing, version)) return false;
      for (const [path, found] of present) if (signature(path) !== found) return false;
      for (const [directory, known] of absent) if (!isStillEmpty(directory, known)) return false;
      return isOfEnvironment(plan, env);
    },
  };
}

interface Absent {
  readonly paths: string[];
  /** The directory's signature as it was when they were looked for, if it was old enough to tell later changes. */
  settled: string | undefined;
}

const changedAt = (directorySignature: string) =>
  Math.max(...directorySignature.split(":", 2).map((milliseconds) => Number(milliseconds)));
