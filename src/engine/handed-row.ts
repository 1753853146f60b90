/** A record of a journal as a row of the audit that stores and servers keep, within what they take. */
import type { AuditRow } from "../approvals/store.ts";
import type { ReadRecord } from "../records/read-record.ts";
import type { JournalName } from "./journals.ts";

/** What people look through on the pages of a server. */
export const HANDED_JOURNALS: readonly JournalName[] = ["audit", "notices"];

export interface HandedRow extends Omit<AuditRow, "source" | "organisation"> {
  /** The record's own, where it names one. */
  readonly organisation?: string;
}

/** What the API takes in one field, in one record and, with room for the rest, in one body. */
const LONGEST_TEXT = 500;
const LONGEST_RECORD = 500_000;
export const MOST_BYTES_AT_ONCE = 900_000;

export function handedRow(record: ReadRecord, name: JournalName): HandedRow {
  const text = (key: string) => (typeof record[key] === "string" ? fitting(record[key] as string) : "");
  const organisation = text("organisation");
  const row = {
    sequence: sequenceOf(record),
    at: timeOf(record),
    session: text("session"),
    event: text("event") || text("event_name"),
    decision: name === "notices" ? "notice" : text("decision"),
    tool: text("tool") || null,
    ms: durationOf(record),
    record: JSON.stringify(record),
    ...(organisation === "" ? {} : { organisation }),
  };
  return row.record.length > LONGEST_RECORD || sentBytes(row) > MOST_BYTES_AT_ONCE ? outlineOf(row) : row;
}

/** Half a character, which a text may hold and a name of a source may not, is replaced by UTF-8. */
const fitting = (text: string) => Buffer.from(text.slice(0, LONGEST_TEXT)).toString();

/** How much of a body it takes. */
export const sentBytes = (row: HandedRow) => Buffer.byteLength(JSON.stringify(row));

/** In the place of a row that the server does not take. */
export function outlineOf({ record, ...row }: HandedRow): HandedRow {
  const leftOut = `${record.length} characters, which the server does not take; the whole record is on its machine`;
  return { ...row, record: JSON.stringify({ seq: row.sequence, timestamp: row.at, left_out: leftOut }) };
}

/** Zero: it has none. */
export const sequenceOf = ({ seq }: ReadRecord) => (Number.isSafeInteger(seq) && (seq as number) > 0 ? Number(seq) : 0);

/** A line whose time somebody changed is evidence too. */
function timeOf({ timestamp }: ReadRecord): string {
  const ms = typeof timestamp === "string" ? Date.parse(timestamp) : Number.NaN;
  const at = Number.isNaN(ms) ? "" : new Date(ms).toISOString();
  return /^\d{4}-/.test(at) ? at : new Date(0).toISOString();
}

/** Of all hooks together. */
function durationOf({ hooks, quiet }: ReadRecord): number {
  const spoken = Array.isArray(hooks) ? hooks.map((step) => (step as { ms?: unknown } | null)?.ms) : [];
  const silent = typeof quiet === "object" && quiet !== null ? Object.values(quiet) : [];
  const ms = [...spoken, ...silent].reduce<number>((sum, part) => sum + (typeof part === "number" ? part : 0), 0);
  return Number.isFinite(ms) && ms > 0 ? ms : 0;
}
