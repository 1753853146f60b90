/**
 * The records of this machine's projects, handed to the store as they grow, so that pages and exports show them without
 * any other machine. What the store has already it leaves out: any number of servers may do this.
 */
import { statSync } from "node:fs";
import type { AuditRow, AuditStore } from "../../approvals/store.ts";
import { fileNameFor, type Places } from "../../config/places.ts";
import { storedPlans } from "../../config/stored-plans.ts";
import { HANDED_JOURNALS, handedRow, sequenceOf } from "../../engine/handed-row.ts";
import { type JournalName, journalOf } from "../../engine/journals.ts";
import type { Journal } from "../../records/journal.ts";
import { recordsNewestFirst } from "../../records/newest-first.ts";
import type { ReadRecord } from "../../records/read-record.ts";

export interface LocalJournals {
  /** Hands over what is new, now. Returns how many rows that were. */
  feed(): Promise<number>;
  close(): Promise<void>;
}

export interface LocalJournalsSettings {
  readonly stores: AuditStore;
  readonly places: Places;
  /** Of whoever belongs to none. */
  readonly organisation: string;
  readonly log: (line: string) => void;
  /** Projects whose records are handed to this very server come that way. */
  readonly url?: string;
  readonly everyMs?: number;
}

const EVERY_MS = 2_000;
/** Of a journal that nobody handed over before, the newest. */
const MOST_ROWS = 5_000;
const ROWS_AT_ONCE = 500;

export function localJournals({
  stores,
  places,
  organisation,
  log,
  url,
  everyMs = EVERY_MS,
}: LocalJournalsSettings): LocalJournals {
  const seen = new Map<string, string>();
  let said = "";

  async function feedOne(journal: Journal, name: JournalName): Promise<number> {
    const look = lookAt(journal.file);
    if (look === undefined || seen.get(journal.file) === look) return 0;
    const source = `${encodeURIComponent(organisation)}/local:${name}:${fileNameFor(journal.file)}`;
    const rows = newRows(journal, await stores.lastSequence(source)).map((record) =>
      rowOf(record, name, source, organisation),
    );
    let added = 0;
    for (let at = 0; at < rows.length; at += ROWS_AT_ONCE)
      added += await stores.appendAudit(rows.slice(at, at + ROWS_AT_ONCE));
    seen.set(journal.file, look);
    return added;
  }

  async function feed(): Promise<number> {
    let added = 0;
    const plans = storedPlans(places);
    const handedIn = plans.filter(({ settings }) => isSame(settings?.handIn?.server, url)).map(({ root }) => root);
    for (const root of new Set(plans.map((plan) => plan.root).filter((found) => !handedIn.includes(found))))
      for (const name of HANDED_JOURNALS) added += await feedOne(journalOf(name, { root }, places), name);
    return added;
  }

  /** A store that is down is told of once, and tried again. */
  async function feedOrSay(): Promise<void> {
    try {
      await feed();
      said = "";
    } catch (error) {
      const problem = `records of this machine could not be handed to the store: ${(error as Error).message}`;
      if (problem !== said) log(problem);
      said = problem;
    }
  }

  let under = feedOrSay();
  const timer = setInterval(() => {
    under = under.then(feedOrSay);
  }, everyMs);
  return {
    feed,
    async close() {
      clearInterval(timer);
      await under;
    },
  };
}

const isSame = (server: string | undefined, url: string | undefined) =>
  server !== undefined && server.replace(/\/+$/, "") === url?.replace(/\/+$/, "");

function lookAt(file: string): string | undefined {
  const found = statSync(file, { throwIfNoEntry: false });
  return found && `${found.ino}:${found.size}`;
}

function newRows(journal: Journal, last: number): ReadRecord[] {
  const rows: ReadRecord[] = [];
  for (const record of recordsNewestFirst(journal, { maxLines: MOST_ROWS, marks: [] })) {
    if (sequenceOf(record) <= last) break;
    rows.push(record);
  }
  return rows.reverse();
}

function rowOf(record: ReadRecord, name: JournalName, source: string, organisation: string): AuditRow {
  const own = record.organisation;
  return {
    ...handedRow(record, name),
    source,
    organisation: typeof own === "string" && own !== "" ? own : organisation,
  };
}
