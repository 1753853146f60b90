/** The three records of a project: ledger (what tools did), audit (what hooks decided), notices (what a person should know). */
import { join } from "node:path";
import { type Places, sha256 } from "../../config/places.ts";
import type { Plan } from "../../config/plan.ts";
import type { Journal } from "../../records/journal.ts";

export type JournalName = "ledger" | "audit" | "notices";
export const JOURNAL_NAMES: readonly JournalName[] = ["ledger", "audit", "notices"];

export const trackingDir = (root: string) => join(root, ".holdfast", "tracking");

export function journalOf(name: JournalName, plan: Pick<Plan, "root" | "settings">, places: Places): Journal {
  const file = join(trackingDir(plan.root), `${name}.jsonl`);
  const key = sha256(file).slice(0, 32);
  return {
    file,
    headFile: join(places.stateDir, "heads", `${key}.json`),
    spoolDir: join(places.stateDir, "spool", key),
    maxBytes: plan.settings.maxRecordBytes,
  };
}
