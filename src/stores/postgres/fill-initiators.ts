/** Reads out of every body on whose behalf it was asked. Not in SQL: PostgreSQL refuses bodies that JSON.parse reads. */
import type { ClientBase } from "pg";
import { approvalIn } from "../sql/approval-row.ts";
import { withoutNul } from "../sql/parameters.ts";

const ROWS_AT_ONCE = 500;

export async function fillInitiators(client: ClientBase): Promise<void> {
  for (let last = "0"; ; ) {
    const { rows } = await client.query<{ seq: string; body: string }>(READ, [last, ROWS_AT_ONCE]);
    const read = rows.map((row) => ({ seq: row.seq, initiator: withoutNul(approvalIn(row).call.initiator) }));
    await client.query(FILL, [read.map(({ seq }) => seq), read.map(({ initiator }) => initiator)]);
    if (rows.length < ROWS_AT_ONCE) return;
    last = rows.at(-1)?.seq ?? last;
  }
}

const READ = "select seq::text, body from approvals where seq > $1 order by approvals.seq limit $2";
const FILL = `
  update approvals set initiator = read.initiator
  from unnest($1::bigint[], $2::text[]) as read (seq, initiator)
  where approvals.seq = read.seq and read.initiator is not null`;
