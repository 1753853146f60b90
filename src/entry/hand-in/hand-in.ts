/**
 * Hands records of this machine's projects to a server. The journals are the spool: what the server has not got yet is
 * read from them, so that nothing is lost while it is down, and it keeps each record once, so that nothing is doubled.
 */
import { statSync } from "node:fs";
import { fileNameFor, type Places } from "../../config/places.ts";
import { HANDED_JOURNALS, type HandedRow, handedRow, MOST_BYTES_AT_ONCE, sentBytes } from "../../engine/handed-row.ts";
import { type JournalName, journalOf } from "../../engine/journals.ts";
import type { Journal } from "../../records/journal.ts";
import { type AuditServer, ServerRefusal } from "./audit-server.ts";
import { type ChangedJournal, newDamage } from "./changed-journal.ts";
import { machineName, machineNameFile } from "./machine-name.ts";
import { type HandedUpTo, headOf, type NewRecord, newestSequence, newRecords } from "./new-records.ts";

export interface HandIn {
  /** Hands in what is new, now, or as much of it as there is time for. Throws where the server cannot be handed anything. */
  round(signal?: AbortSignal): Promise<Round>;
}

export interface Round {
  readonly rows: number;
  /** Of a journal that cannot be handed in, or not all of it, the first of them; it held up no other. */
  readonly problem?: Error;
  /** What was found in journals and not told of before. All is well nevertheless: their records were handed in. */
  readonly changed?: ChangedJournal;
}

const MOST_ROWS = 500;

/** `roots`: the projects to hand in, asked for each time anew. */
export function handIn(server: AuditServer, roots: () => Iterable<string>, places: Places): HandIn {
  const looks = new Map<string, string>();
  const lasts = new Map<string, HandedUpTo>();
  const damage = newDamage();

  async function one(journal: Journal, name: JournalName, signal: AbortSignal | undefined): Promise<number> {
    const look = lookAt(journal);
    if (look === undefined || looks.get(journal.file) === look) return 0;
    const source = `${machineName(places)}:${name}:${fileNameFor(journal.file)}`;
    let last = lasts.get(source) ?? { seq: ownUpTo(await server.lastSequence(source), journal) };
    let count = 0;
    const onBreak = (sentence: string) => damage.add(journal.file, sentence);
    for await (const { rows, head } of batched(newRecords(journal, last, onBreak), name)) {
      if (signal?.aborted) return count;
      const reached = await server.handIn(source, rows);
      last = head;
      if (reached > last.seq) ownUpTo(reached, journal);
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
          const journal = journalOf(name, { root }, places);
          try {
            rows += await one(journal, name, signal);
          } catch (error) {
            if (!isOfOneJournal(error)) throw error;
            problem ??= error as Error;
          }
        }
      const changed = damage.take();
      return { rows, ...(problem ? { problem } : {}), ...(changed ? { changed } : {}) };
    },
  };
}

class JournalProblem extends Error {}

const isOfOneJournal = (error: unknown) =>
  error instanceof JournalProblem ||
  (error instanceof ServerRefusal && error.isOfContent) ||
  (error as NodeJS.ErrnoException).path !== undefined;

interface Batch {
  readonly rows: readonly HandedRow[];
  /** The last of them. */
  readonly head: HandedUpTo;
}

async function* batched(records: AsyncIterable<NewRecord>, name: JournalName): AsyncGenerator<Batch> {
  let rows: HandedRow[] = [];
  let bytes = 0;
  let last: HandedUpTo | undefined;
  for await (const { record, head } of records) {
    const row = handedRow(record, name);
    const more = sentBytes(row);
    if (last && rows.length > 0 && (rows.length >= MOST_ROWS || bytes + more > MOST_BYTES_AT_ONCE)) {
      yield { rows, head: last };
      rows = [];
      bytes = 0;
    }
    rows.push(row);
    bytes += more;
    last = head;
  }
  if (last && rows.length > 0) yield { rows, head: last };
}

/** With the head: what it proves may be handed in only then, though nothing was written since. */
function lookAt(journal: Journal): string | undefined {
  const found = statSync(journal.file, { throwIfNoEntry: false });
  return found && `${found.ino}:${found.size}:${headOf(journal)?.hash}`;
}
