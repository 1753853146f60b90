import type { AuditRow, AuditStore } from "../../approvals/store.ts";
import { AUDIT_COLUMNS, auditColumns, COUNTED_WIDTHS_MS } from "../sql/audit-row.ts";
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
          for (const widthMs of COUNTED_WIDTHS_MS) {
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

const INSERT = `insert into audit (${AUDIT_COLUMNS.join(", ")}) values (${AUDIT_COLUMNS.map(() => "?").join(", ")}) on conflict do nothing`;
const COUNT = `insert into audit_counts (organisation, width_ms, starts_at, decision, ms_class, rows)
  values (?, ?, ?, ?, ?, ?)
  on conflict (organisation, width_ms, starts_at, decision, ms_class) do update set rows = rows + excluded.rows`;

/** Undefined: it was there already. */
function append(connection: SqliteConnection, row: AuditRow) {
  const columns = auditColumns(row);
  const { changes } = connection.run(INSERT, ...AUDIT_COLUMNS.map((column) => withoutNul(columns[column])));
  return changes === 0 ? undefined : columns;
}
