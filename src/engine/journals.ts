/** The three records of a project: ledger (what tools did), audit (what hooks decided), notices (what a person should know). */
import { join } from "node:path";
import { fileNameFor, type Places } from "../config/places.ts";
import type { PlanSettings } from "../config/plan.ts";
import type { Journal } from "../records/journal.ts";
import { MAX_TEXT_CHARACTERS } from "./audit-record.ts";

export type JournalName = "ledger" | "audit" | "notices";
export const JOURNAL_NAMES: readonly JournalName[] = ["ledger", "audit", "notices"];

export const trackingDir = (root: string, { recordsDir }: Pick<Places, "recordsDir">) =>
  recordsDir ?? join(root, ".holdfast", "tracking");

export interface Recorded {
  readonly root: string;
  /** Absent where there is no plan. */
  readonly settings?: Pick<PlanSettings, "maxRecordBytes">;
}

/** What cannot have the lock by then goes to the spool: a host's time is short, and three records are written. */
const LOCK_WAIT_MS = 1_000;

const known = new WeakMap<Places, Map<string, Journal>>();

/** Asked for several times on every call, and always the same. */
export function journalOf(name: JournalName, recorded: Recorded, places: Places): Journal {
  const { root, settings } = recorded;
  const journals = known.get(places) ?? new Map<string, Journal>();
  known.set(places, journals);
  const key = `${name} ${settings?.maxRecordBytes} ${root}`;
  const journal = journals.get(key) ?? makeJournal(name, recorded, places);
  journals.set(key, journal);
  return journal;
}

function makeJournal(name: JournalName, { root, settings }: Recorded, places: Places): Journal {
  const file = join(trackingDir(root, places), `${name}.jsonl`);
  const key = fileNameFor(file);
  return {
    file,
    headFile: join(places.stateDir, "heads", `${key}.json`),
    spoolDir: join(places.stateDir, "spool", key),
    maxBytes: settings?.maxRecordBytes,
    maxTextCharacters: name === "audit" ? MAX_TEXT_CHARACTERS : undefined,
    lockWaitMs: LOCK_WAIT_MS,
  };
}
