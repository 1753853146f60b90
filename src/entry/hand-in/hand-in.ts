/**
 * Hands records of this machine's projects to a server. The journals are the spool: what the server has not got yet is
 * read from them, so that nothing is lost while it is down, and it keeps each record once, so that nothing is doubled.
 */
import { statSync } from "node:fs";
import { fileNameFor, type Places } from "../../config/places.ts";
import { HANDED_JOURNALS, type HandedRow, handedRow, MOST_BYTES_AT_ONCE, sentBytes } from "../../engine/handed-row.ts";
import { type JournalName, journalOf } from "../../engine/journals.ts";
import type { Journal } from "../../records/journal.ts";
import type { ReadRecord } from "../../records/read-record.ts";
import { type AuditServer, ServerRefusal } from "./audit-server.ts";
import { machineName, machineNameFile } from "./machine-name.ts";
import { newestSequence, newRecords } from "./new-records.ts";

export interface HandIn {
  /** Hands in what is new, now, or as much of it as there is time for. Throws where the server cannot be handed anything. */
  round(signal?: AbortSignal): Promise<Round>;
}

export interface Round {
  readonly rows: number;
  /** Of a journal that cannot be handed in, the first of them; it held up no other. */
  readonly problem?: Error;
}

const MOST_ROWS = 500;

/** `roots`: the projects to hand in, asked for each time anew. */
export function handIn(server: AuditServer, roots: () => Iterable<string>, places: Places): HandIn {
  const looks = new Map<string, string>();
  const lasts = new Map<string, number>();

  async function one(journal: Journal, name: JournalName, signal: AbortSignal | undefined): Promise<number> {
    const look = lookAt(journal.file);
    if (look === undefined || looks.get(journal.file) === look) return 0;
    const source = `${machineName(places)}:${name}:${fileNameFor(journal.file)}`;
    let last = lasts.get(source) ?? ownUpTo(await server.lastSequence(source), journal);
    let count = 0;
    for await (const rows of batched(newRecords(journal, last), name)) {
      if (signal?.aborted) return count;
      const reached = await server.handIn(source, rows);
      last = Math.max(last, ...rows.map(({ sequence }) => sequence));
      if (reached > last) ownUpTo(reached, journal);
      lasts.set(source, last);
      count += rows.length;
    }
    looks.set(journal.file, look);
    return count;
  }

  /** Of records that the server has from elsewhere under this name, it would leave out ours. */
  function ownUpTo(last: number, journal: Journal): number {
    const newest = newestSequence(journal);
    if (last <= newest) return last;
    throw new JournalProblem(
      `the server has records of ${journal.file} up to number ${last}, and here it ends with ${newest}: another machine ` +
        `hands in under this one's name, or the journal was begun anew. Remove ${machineNameFile(places)}, and this ` +
        "machine hands in under a new name",
    );
  }

  return {
    async round(signal) {
      let rows = 0;
      let problem: Error | undefined;
      for (const root of new Set(roots()))
        for (const name of HANDED_JOURNALS) {
          if (signal?.aborted) break;
          try {
            rows += await one(journalOf(name, { root }, places), name, signal);
          } catch (error) {
            if (!isOfOneJournal(error)) throw error;
            problem ??= error as Error;
          }
        }
      return { rows, ...(problem ? { problem } : {}) };
    },
  };
}

class JournalProblem extends Error {}

const isOfOneJournal = (error: unknown) =>
  error instanceof JournalProblem ||
  (error instanceof ServerRefusal && error.isOfContent) ||
  (error as NodeJS.ErrnoException).path !== undefined;

async function* batched(records: AsyncIterable<ReadRecord>, name: JournalName): AsyncGenerator<HandedRow[]> {
  let rows: HandedRow[] = [];
  let bytes = 0;
  for await (const record of records) {
    const row = handedRow(record, name);
    const more = sentBytes(row);
    if (rows.length > 0 && (rows.length >= MOST_ROWS || bytes + more > MOST_BYTES_AT_ONCE)) {
      yield rows;
      rows = [];
      bytes = 0;
    }
    rows.push(row);
    bytes += more;
  }
  if (rows.length > 0) yield rows;
}

function lookAt(file: string): string | undefined {
  const found = statSync(file, { throwIfNoEntry: false });
  return found && `${found.ino}:${found.size}`;
}
