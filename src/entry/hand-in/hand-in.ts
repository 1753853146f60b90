/**
 * Hands records of this machine's projects to a server. The journals are the spool: what the server has not got yet is
 * read from them, so that nothing is lost while it is down, and it keeps each record once, so that nothing is doubled.
 */
import { randomBytes } from "node:crypto";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { fileNameFor, type Places } from "../../config/places.ts";
import { storedPlans } from "../../config/stored-plans.ts";
import { HANDED_JOURNALS, type HandedRow, handedRow } from "../../engine/handed-row.ts";
import { type JournalName, journalOf } from "../../engine/journals.ts";
import type { Journal } from "../../records/journal.ts";
import type { AuditServer } from "./audit-server.ts";
import { newRecords } from "./new-records.ts";

export interface HandIn {
  /** Hands in what is new, now. Returns how many rows that were; throws where the server does not take them. */
  round(): Promise<number>;
}

const MOST_ROWS = 500;
/** The API takes a body of a mebibyte. */
const MOST_CHARACTERS = 600_000;

export function handIn(server: AuditServer, serverName: string, places: Places): HandIn {
  const machine = machineName(places);
  const looks = new Map<string, string>();
  const lasts = new Map<string, number>();

  async function one(journal: Journal, name: JournalName): Promise<number> {
    const look = lookAt(journal.file);
    if (look === undefined || looks.get(journal.file) === look) return 0;
    const source = `${machine}:${name}:${fileNameFor(journal.file)}`;
    let last = lasts.get(source) ?? (await server.lastSequence(source));
    let count = 0;
    for await (const rows of batched(newRecords(journal, last), name)) {
      last = Math.max(await server.handIn(source, rows), rows.at(-1)?.sequence ?? 0);
      lasts.set(source, last);
      count += rows.length;
    }
    looks.set(journal.file, look);
    return count;
  }

  return {
    async round() {
      let count = 0;
      const roots = storedPlans(places).filter(({ settings }) => settings?.handIn?.server === serverName);
      for (const root of new Set(roots.map((plan) => plan.root)))
        for (const name of HANDED_JOURNALS) count += await one(journalOf(name, { root }, places), name);
      return count;
    },
  };
}

async function* batched(
  records: AsyncIterable<Parameters<typeof handedRow>[0]>,
  name: JournalName,
): AsyncGenerator<HandedRow[]> {
  let rows: HandedRow[] = [];
  let characters = 0;
  for await (const record of records) {
    const row = handedRow(record, name);
    const { length } = row.record;
    if (rows.length > 0 && (rows.length >= MOST_ROWS || characters + length > MOST_CHARACTERS)) {
      yield rows;
      rows = [];
      characters = 0;
    }
    rows.push(row);
    characters += length;
  }
  if (rows.length > 0) yield rows;
}

function lookAt(file: string): string | undefined {
  const found = statSync(file, { throwIfNoEntry: false });
  return found && `${found.ino}:${found.size}`;
}

/** Two machines of one name and path must not be taken for one: then a record of the one would hide the other's. */
function machineName({ stateDir }: Places): string {
  const file = join(stateDir, "machine-id");
  try {
    writeFileSync(file, `${hostname().slice(0, 60)}-${randomBytes(8).toString("hex")}`, { flag: "wx", mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  return readFileSync(file, "utf8").trim();
}
