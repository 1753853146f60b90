/** What a person did to the rules, for the record. */
import type { Places } from "../config/places.ts";
import type { Plan } from "../config/plan.ts";
import { appendRecords } from "../records/journal.ts";
import { journalOf } from "./journals.ts";

export function recordDeed(
  plan: Pick<Plan, "root" | "settings">,
  places: Places,
  deed: { readonly code: string; readonly message: string },
): void {
  const who = { host: "holdfast", session: "", event_name: "load", is_error: false, hook: null };
  const record = { timestamp: new Date().toISOString(), ...who, ...deed };
  appendRecords(journalOf("notices", plan, places), [record]);
}
