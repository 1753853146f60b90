/** A record of a journal as a row of the audit that stores and servers keep. */
import type { AuditRow } from "../approvals/store.ts";
import type { ReadRecord } from "../records/read-record.ts";
import type { JournalName } from "./journals.ts";

/** What people look through on the pages of a server. */
export const HANDED_JOURNALS: readonly JournalName[] = ["audit", "notices"];

export type HandedRow = Omit<AuditRow, "source" | "organisation">;

export function handedRow(record: ReadRecord, name: JournalName): HandedRow {
  const text = (key: string) => (typeof record[key] === "string" ? (record[key] as string) : "");
  return {
    sequence: sequenceOf(record),
    at: text("timestamp"),
    session: text("session"),
    event: text("event") || text("event_name"),
    decision: name === "notices" ? "notice" : text("decision"),
    tool: text("tool") || null,
    ms: timeOf(record),
    record: JSON.stringify(record),
  };
}

/** Zero: it has none. */
export const sequenceOf = ({ seq }: ReadRecord) => (typeof seq === "number" ? seq : 0);

/** Of all hooks together. */
function timeOf({ hooks, quiet }: ReadRecord): number {
  const spoken = Array.isArray(hooks) ? hooks.map((step) => (step as { ms?: unknown }).ms) : [];
  const silent = typeof quiet === "object" && quiet !== null ? Object.values(quiet) : [];
  return [...spoken, ...silent].reduce<number>((sum, ms) => sum + (typeof ms === "number" ? ms : 0), 0);
}
