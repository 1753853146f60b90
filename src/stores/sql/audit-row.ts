/** How a recorded decision lies in a table, and by what widths of time it is counted: the same in both databases. */
import type { AuditRow } from "../../approvals/store.ts";
import { latencyClass } from "./latency-class.ts";
import type { Tables } from "./tables.ts";

export const AUDIT_COLUMNS = [
  "source",
  "sequence",
  "organisation",
  "at",
  "at_ms",
  "session",
  "event",
  "decision",
  "tool",
  "ms",
  "ms_class",
  "record",
] as const satisfies readonly (keyof Tables["audit"])[];

export const MINUTE_MS = 60_000;
export const HOUR_MS = 3_600_000;
export const COUNTED_WIDTHS_MS = [MINUTE_MS, HOUR_MS] as const;

export function auditColumns(row: AuditRow): Tables["audit"] {
  const at_ms = Date.parse(row.at);
  if (Number.isNaN(at_ms)) throw new Error(`Row ${row.sequence} of ${row.source} has no time: "${row.at}".`);
  return { ...row, at_ms, ms_class: latencyClass(row.ms) };
}
