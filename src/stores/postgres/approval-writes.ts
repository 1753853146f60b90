/** Each change is one statement: the approval, its history and the notification are stored together or not at all. */
import type { HistoryEntry } from "../../approvals/approval.ts";
import type { ApprovalStore } from "../../approvals/store.ts";
import { APPROVAL_COLUMNS, approvalColumns, approvalIn, approvalValues, changedWords } from "../sql/approval-row.ts";
import type { Execute } from "../sql/statements.ts";
import { searchableWords } from "../words.ts";
import { CHANNEL, LONGEST_NEWS } from "./notifications.ts";

export function approvalWrites(execute: Execute): Pick<ApprovalStore, "insert" | "change"> {
  return {
    async insert(approval, history) {
      const values = approvalValues(approval);
      for (;;) {
        const stored = await execute(INSERT, [...values, searchableWords(approval), bodiesOf(history)]);
        if (stored.length > 0) return { stored: true, approval };
        const [open] = await execute<{ body: string }>(OPEN, [approval.organisation, approval.digest]);
        // None: it was used or settled in between, and the way is free.
        if (open) return { stored: false, approval: approvalIn(open) };
      }
    },
    async change(next, history) {
      const { id, status, version, due_at, body } = approvalColumns(next);
      const words = changedWords(next, history) ?? null;
      const values = [id, version, status, due_at, body, words, next.organisation, bodiesOf(history)];
      return (await execute(CHANGE, values)).length > 0;
    },
  };
}

const INSERT = `
  with stored as (
    insert into approvals (${APPROVAL_COLUMNS.join(", ")}, words)
    values (${APPROVAL_COLUMNS.map((_, index) => `$${index + 1}`).join(", ")}, array_to_tsvector($11::text[]))
    on conflict (organisation, digest) where status in ('pending', 'approved') do nothing
    returning id, organisation
  ), noted as (
    insert into history (approval, organisation, body)
    select stored.id, stored.organisation, entry from stored, unnest($12::text[]) with ordinality as entries (entry, place)
    order by place
  )
  select pg_notify('${CHANNEL}', id) from stored`;

const OPEN = `
  select body from approvals
  where organisation = $1 and digest = $2 and status in ('pending', 'approved') limit 1`;

const CHANGE = `
  with changed as (
    update approvals
    set version = $2::integer, status = $3, due_at = $4, body = $5, words = coalesce(array_to_tsvector($6::text[]), words)
    where id = $1 and version = $2::integer - 1
    returning id
  ), noted as (
    insert into history (approval, organisation, body)
    select changed.id, $7, entry from changed, unnest($8::text[]) with ordinality as entries (entry, place)
    order by place
  )
  select pg_notify('${CHANNEL}', case when octet_length($5) <= ${LONGEST_NEWS} then $5 else id end) from changed`;

const bodiesOf = (history: readonly HistoryEntry[]) => history.map((entry) => JSON.stringify(entry));
