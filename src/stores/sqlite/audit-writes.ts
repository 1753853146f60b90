import type { AuditRow, AuditStore } from "../../approvals/store.ts";
import { auditColumns } from "../sql/audit-reads.ts";
import { withoutNul } from "../sql/parameters.ts";
import type { SqliteConnection } from "./connection.ts";

export function auditWrites(connection: SqliteConnection): Pick<AuditStore, "appendAudit"> {
  return {
    async appendAudit(rows) {
      if (rows.length === 0) return 0;
      return connection.write(() => {
        const counts = new Map<string, readonly unknown[]>();
        let added = 0;
        for (const row of rows) {
          const key = append(connection, row);
          if (!key) continue;
          added++;
          for (const widthMs of WIDTHS_MS) {
            const place = [
              key.organisation,
              widthMs,
              Math.floor(key.at_ms / widthMs) * widthMs,
              key.decision,
              key.ms_class,
            ];
            const name = JSON.stringify(place);
            counts.set(name, [...place, ((counts.get(name)?.at(-1) as number | undefined) ?? 0) + 1]);
          }
        }
        for (const count of counts.values()) connection.run(COUNT, ...count.map(withoutNul));
        return added;
      });
    },
  };
}

/** A minute, an hour. */
const WIDTHS_MS = [60_000, 3_600_000];

const COLUMNS = [
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
] as const;
const INSERT = `insert into audit (${COLUMNS.join(", ")}) values (${COLUMNS.map(() => "?").join(", ")}) on conflict do nothing`;
const COUNT = `insert into audit_counts (organisation, width_ms, starts_at, decision, ms_class, rows)
  values (?, ?, ?, ?, ?, ?)
  on conflict (organisation, width_ms, starts_at, decision, ms_class) do update set rows = rows + excluded.rows`;

/** Undefined: it was there already. */
function append(connection: SqliteConnection, row: AuditRow) {
  const columns = auditColumns(row);
  const { changes } = connection.run(INSERT, ...COLUMNS.map((column) => withoutNul(columns[column])));
  return changes === 0 ? undefined : columns;
}
