/** Each change is one statement: the approval, its history and the notification are stored together or not at all. */
import type { Approval, HistoryEntry } from "../../approvals/approval.ts";
import type { ApprovalStore } from "../../approvals/store.ts";
import { APPROVAL_COLUMNS, approvalColumns, approvalIn, approvalValues, SAYS_WORDS } from "../sql/approval-row.ts";
import { withoutNul } from "../sql/parameters.ts";
import type { Execute } from "../sql/statements.ts";
import { searchableWords, wordsSaidLast } from "../words.ts";
import { orNobody } from "./migrations.ts";
import { CHANNEL, LONGEST_NEWS } from "./notifications.ts";

export function approvalWrites(execute: Execute): Pick<ApprovalStore, "insert" | "change"> {
  return {
    async insert(approval, history) {
      const values = approvalValues(approval);
      const { organisation, digest, agent, initiator } = approvalColumns(approval);
      const asked = [organisation, digest, agent, initiator].map(withoutNul);
      for (;;) {
        const stored = await execute(INSERT, [...values, searchableWords(approval), bodiesOf(history)]);
        if (stored.length > 0) return { stored: true, approval };
        const [open] = await execute<{ body: string }>(OPEN, asked);
        // None: it was used or settled in between, and the way is free.
        if (open) return { stored: false, approval: approvalIn(open) };
      }
    },
    async change(next, history, members = []) {
      const { id, status, version, due_at, body } = approvalColumns(next);
      const { said = null, all = null } = changedWords(next, body, history);
      const values = [id, version, status, due_at, body, said, next.organisation, bodiesOf(history), all];
      if (members.length === 0) return (await execute(CHANGE, values)).length > 0;
      const read = members.flatMap((member) =>
        [member.organisation, member.id, JSON.stringify(member)].map(withoutNul),
      );
      const areLocked = areAsRead(members.length, values.length, "order by id for share");
      if ((await execute(changeWhere(` and ${areLocked}`), [...values, ...read])).length > 0) return true;
      const [now] = await execute<{ are: boolean }>(`select ${areAsRead(members.length, 0)} as are`, read);
      return now?.are ? false : "members";
    },
  };
}

const INSERT = `
  with stored as (
    insert into approvals (${APPROVAL_COLUMNS.join(", ")}, words)
    values (${APPROVAL_COLUMNS.map((_, index) => `$${index + 1}`).join(", ")}, array_to_tsvector($12::text[]))
    on conflict (organisation, digest, (${orNobody("agent")}), (${orNobody("initiator")})) where status in ('pending', 'approved') do nothing
    returning id, organisation
  ), noted as (
    insert into history (approval, organisation, body)
    select stored.id, stored.organisation, entry from stored, unnest($13::text[]) with ordinality as entries (entry, place)
    order by place
  )
  select pg_notify('${CHANNEL}', id) from stored`;

const OPEN = `
  select body from approvals
  where organisation = $1 and digest = $2 and status in ('pending', 'approved')
    and agent is not distinct from $3 and initiator is not distinct from $4
  limit 1`;

const changeWhere = (condition: string) => `
  with changed as (
    update approvals
    set version = $2::integer, status = $3, due_at = $4, body = $5,
      words = coalesce(words || array_to_tsvector($6::text[]), array_to_tsvector($9::text[]), words)
    where id = $1 and version = $2::integer - 1${condition}
    returning id
  ), noted as (
    insert into history (approval, organisation, body)
    select changed.id, $7, entry from changed, unnest($8::text[]) with ordinality as entries (entry, place)
    order by place
  )
  select pg_notify('${CHANNEL}', case when octet_length($5) <= ${LONGEST_NEWS} then $5 else id end) from changed`;

const CHANGE = changeWhere("");

/**
 * Whoever removes one of them waits for the change, or the change for them. Locked in the order in which holders of a role
 * are (stores.ts): two that want the same people never wait for each other.
 */
function areAsRead(count: number, parametersBefore: number, locking = ""): string {
  const read = Array.from({ length: count }, (_, member) => {
    const [organisation, id, body] = [1, 2, 3].map((place) => `$${parametersBefore + 3 * member + place}`);
    return `(${organisation}, ${id}, ${body})`;
  });
  const found = `select from people where (organisation, id, body) in (${read.join(", ")}) ${locking}`;
  return `(select count(*) from (${found}) as found) = ${count}`;
}

/** Whoever waits waits for this: what was said is added, unless so many words are there that they have to be counted again. */
function changedWords(next: Approval, body: string, history: readonly HistoryEntry[]) {
  if (!history.some(({ action }) => SAYS_WORDS.has(action))) return {};
  return body.length <= LONGEST_ADDED_TO ? { said: wordsSaidLast(next) } : { all: searchableWords(next) };
}

/** PostgreSQL keeps a megabyte of words for a row: one this long has fewer. */
const LONGEST_ADDED_TO = 100_000;

const bodiesOf = (history: readonly HistoryEntry[]) => history.map((entry) => JSON.stringify(entry));
