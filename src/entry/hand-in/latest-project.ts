import { statSync } from "node:fs";
import type { Places } from "../../config/places.ts";
import type { StoredPlan } from "../../config/stored-plans.ts";
import { journalOf } from "../../engine/journals.ts";

/** Where somebody worked last, and would look. A project that is gone is none: a notice must not bring its folder back. */
export function latestOf(plans: readonly StoredPlan[], places: Places): StoredPlan | undefined {
  const usedAt = ({ root }: StoredPlan) =>
    statSync(journalOf("audit", { root }, places).file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const [latest] = plans
    .map((plan) => ({ plan, at: usedAt(plan) }))
    .filter(({ at }) => at > 0)
    .sort((left, right) => right.at - left.at);
  return latest?.plan;
}
