/**
 * What the backend of an attempt says grows in a file of the machine it works on. When the attempt is over, its end goes to
 * the database, under an id of its own; the whole stays on that machine.
 */
import { randomUUID } from "node:crypto";
import { closeSync, existsSync, fstatSync, linkSync, openSync, readSync, statSync } from "node:fs";
import { identityOf, type ProcessIdentity } from "../../../runs/files/process-identity.ts";
import type { AttemptState, OutputFile } from "../../../runs/store.ts";
import type { Query } from "./database.ts";
import { writeWhole } from "./run-files.ts";

/** Of a long output the end. */
const MAX_OUTPUT_BYTES = 4 * 1024 * 1024;

interface ReadOutput {
  readonly id: string;
  readonly end: Buffer;
  /** Of the whole. */
  readonly bytes: number;
}

export function readOutput(path: string): ReadOutput | null {
  if (!existsSync(path)) return null;
  const file = openSync(path, "r");
  try {
    const { size } = fstatSync(file);
    const end = Buffer.alloc(Math.min(size, MAX_OUTPUT_BYTES));
    readSync(file, end, 0, end.length, size - end.length);
    return { id: randomUUID(), end, bytes: size };
  } finally {
    closeSync(file);
  }
}

const namedFile = (live: string, id: string): string => live.replace(/\.log$/, `.${id}.log`);

/** On the machine that has the whole nobody needs to fetch the end. */
export function keepWholeOutput(live: string, id: string): void {
  try {
    linkSync(live, namedFile(live, id));
  } catch {
    // A disk without links, or it was deleted meanwhile: then the end is fetched.
  }
}

interface Row {
  readonly body: string;
  readonly output_id: string | null;
  readonly output_bytes: number | null;
}

/** A worker of an older version writes the output only: its bytes say which one it is, and one of that very size was cut. */
const KEPT = `select body, coalesce(output_id, md5(output)) as output_id,
  coalesce(output_bytes, octet_length(output) + case octet_length(output) when ${MAX_OUTPUT_BYTES} then 1 else 0 end)
    as output_bytes
  from attempts where run = $1 and number = $2`;

/** `live`: where it grows, if the attempt is made on this machine. */
export async function outputHere(
  query: Query,
  run: string,
  number: number,
  live: string,
): Promise<OutputFile | undefined> {
  const [row] = await query<Row>(KEPT, [run, number]);
  if (row?.output_id) return keptOutput(query, run, number, row.output_bytes ?? 0, namedFile(live, row.output_id));
  const isOurs = (await scopeOf(query, run, row)) === identityOf(process.pid).scope;
  return isOurs && existsSync(live) ? { file: live, lostBytes: 0 } : undefined;
}

async function keptOutput(
  query: Query,
  run: string,
  number: number,
  bytes: number,
  file: string,
): Promise<OutputFile | undefined> {
  if (!existsSync(file)) {
    const sql = "select output from attempts where run = $1 and number = $2 and output is not null";
    const [row] = await query<{ output: Buffer }>(sql, [run, number]);
    if (!row) return undefined;
    await writeWhole(file, row.output);
  }
  return { file, lostBytes: Math.max(0, bytes - statSync(file).size) };
}

/** Where an attempt that is not over works: a file of its number that is here may be of one that a reset undid. */
async function scopeOf(query: Query, run: string, row: Row | undefined): Promise<string | undefined> {
  const process = row && (JSON.parse(row.body) as AttemptState).process;
  if (process) return process.scope;
  const [lease] = await query<{ owner: string }>("select owner from leases where run = $1", [run]);
  return lease && (JSON.parse(lease.owner) as ProcessIdentity).scope;
}
