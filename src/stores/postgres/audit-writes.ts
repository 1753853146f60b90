/** Rows are added a batch at a time, and counted in the same statement. */
import type { AuditStore } from "../../approvals/store.ts";
import { auditColumns } from "../sql/audit-reads.ts";
import { withoutNul } from "../sql/parameters.ts";
import type { Execute } from "../sql/statements.ts";

export function auditWrites(execute: Execute): Pick<AuditStore, "appendAudit"> {
  return {
    async appendAudit(rows) {
      if (rows.length === 0) return 0;
      // Two batches that share rows lock them in the same order.
      const ordered = rows
        .map(auditColumns)
        .sort((left, right) => compare(left.source, right.source) || left.sequence - right.sequence);
      const columns = COLUMNS.map(({ name }) => ordered.map((row) => withoutNul(row[name])));
      const [added] = await execute<{ rows: number }>(APPEND, columns);
      return added?.rows ?? 0;
    },
  };
}

const compare = (left: string, right: string) => (left < right ? -1 : left > right ? 1 : 0);

const COLUMNS = [
  { name: "source", type: "text" },
  { name: "sequence", type: "bigint" },
  { name: "organisation", type: "text" },
  { name: "at", type: "text" },
  { name: "at_ms", type: "bigint" },
  { name: "session", type: "text" },
  { name: "event", type: "text" },
  { name: "decision", type: "text" },
  { name: "tool", type: "text" },
  { name: "ms", type: "double precision" },
  { name: "ms_class", type: "smallint" },
  { name: "record", type: "text" },
] as const;

const APPEND = `
  with fresh as (
    insert into audit (${COLUMNS.map(({ name }) => name).join(", ")})
    select * from unnest(${COLUMNS.map(({ type }, index) => `$${index + 1}::${type}[]`).join(", ")})
    on conflict (source, sequence) do nothing
    returning organisation, at_ms, decision, ms_class
  ), counted as (
    insert into audit_counts (organisation, width_ms, starts_at, decision, ms_class, rows)
    select organisation, width_ms, at_ms / width_ms * width_ms, decision, ms_class, count(*)
    from fresh cross join (values (60000::bigint), (3600000::bigint)) as widths (width_ms)
    group by 1, 2, 3, 4, 5
    order by 1, 2, 3, 4, 5
    on conflict (organisation, width_ms, starts_at, decision, ms_class)
    do update set rows = audit_counts.rows + excluded.rows
  )
  select count(*) as rows from fresh`;
