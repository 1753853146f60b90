/** Every directory that was ever judged here left a plan, which names its project. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Places } from "./places.ts";
import type { Plan } from "./plan.ts";

/** Of what an older version wrote, only the root is sure to be there. */
export type StoredPlan = Pick<Plan, "root"> & Partial<Pick<Plan, "settings">>;

export function storedPlans({ stateDir }: Pick<Places, "stateDir">): StoredPlan[] {
  const directory = join(stateDir, "plans");
  return filesIn(directory).flatMap((name): StoredPlan[] => {
    try {
      const plan = JSON.parse(readFileSync(join(directory, name), "utf8")) as StoredPlan;
      return typeof plan.root === "string" ? [plan] : [];
    } catch {
      // Being written, or of another version: the next look finds it.
      return [];
    }
  });
}

function filesIn(directory: string): string[] {
  try {
    return readdirSync(directory).filter((name) => name.endsWith(".json"));
  } catch {
    return [];
  }
}
