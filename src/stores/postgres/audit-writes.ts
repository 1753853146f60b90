/** Rows are added a batch at a time, and counted in the same statement. */
import type { AuditStore } from "../../approvals/store.ts";
import { auditColumns } from "../sql/audit-reads.ts";
import type { Execute } from "../sql/statements.ts";
import type { Tables } from "../sql/tables.ts";

export function auditWrites(execute: Execute): Pick<AuditStore, "appendAudit"> {
  return {
    async appendAudit(rows) {
      if (rows.length === 0) return 0;
      // Two batches that share rows lock them in the same order.
      const ordered = rows
        .map(auditColumns)
        .sort((left, right) => compare(left.source, right.source) || left.sequence - right.sequence);
      const [added] = await execute<{ rows: number }>(APPEND, [asJson(ordered)]);
      return added?.rows ?? 0;
    },
  };
}

/** One text for all rows: an array per column costs several times as much to write. */
function asJson(rows: readonly Tables["audit"][]): string {
  const text = JSON.stringify(rows);
  return UNKEEPABLE_ESCAPED.test(text) ? JSON.stringify(rows, (_, value) => keepable(value)) : text;
}

/** PostgreSQL refuses NUL and half characters in a text, written as escapes too. */
const UNKEEPABLE_ESCAPED = /\\u(?:0000|d[89a-f])/i;
const UNKEEPABLE = /\0|[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g;
const keepable = (value: unknown) => (typeof value === "string" ? value.replace(UNKEEPABLE, "\uFFFD") : value);

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
    select * from json_to_recordset($1::json) as sent (${COLUMNS.map(({ name, type }) => `${name} ${type}`).join(", ")})
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
