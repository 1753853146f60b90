/** Rows are added a batch at a time, and counted in the same statement. */
import type { AuditStore } from "../../approvals/store.ts";
import { AUDIT_COLUMNS, auditColumns, COUNTED_WIDTHS_MS } from "../sql/audit-row.ts";
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

/** What is no text. */
const TYPES: { readonly [Column in (typeof AUDIT_COLUMNS)[number]]?: string } = {
  sequence: "bigint",
  at_ms: "bigint",
  ms: "double precision",
  ms_class: "smallint",
};
const SENT = AUDIT_COLUMNS.map((name) => `${name} ${TYPES[name] ?? "text"}`).join(", ");
const WIDTHS = COUNTED_WIDTHS_MS.map((width) => `(${width}::bigint)`).join(", ");

const APPEND = `
  with fresh as (
    insert into audit (${AUDIT_COLUMNS.join(", ")})
    select * from json_to_recordset($1::json) as sent (${SENT})
    on conflict (source, sequence) do nothing
    returning organisation, at_ms, decision, ms_class
  ), by_class as (
    select organisation, width_ms, at_ms / width_ms * width_ms as starts_at, decision, ms_class, count(*) as rows
    from fresh cross join (values ${WIDTHS}) as widths (width_ms)
    group by 1, 2, 3, 4, 5
  ), counted as (
    insert into audit_histograms (organisation, width_ms, starts_at, decision, counts)
    select organisation, width_ms, starts_at, decision, array(
      select coalesce(known.rows, 0)
      from generate_series(0, highest) as class
      left join by_class as known
        on (known.organisation, known.width_ms, known.starts_at, known.decision, known.ms_class)
         = (batch.organisation, batch.width_ms, batch.starts_at, batch.decision, class)
      order by class
    )
    from (
      select organisation, width_ms, starts_at, decision, max(ms_class) as highest from by_class group by 1, 2, 3, 4
    ) as batch
    order by 1, 2, 3, 4
    on conflict (organisation, width_ms, starts_at, decision) do update set counts = array(
      select coalesce(kept, 0) + coalesce(more, 0)
      from unnest(audit_histograms.counts, excluded.counts) with ordinality as classes (kept, more, class)
      order by class
    )
  )
  select count(*) as rows from fresh`;
