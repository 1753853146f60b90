/** Reads out of every body on whose behalf it was asked. Not in SQL: SQLite refuses JSON that is nested a thousand deep. */
import { approvalIn } from "../sql/approval-row.ts";
import { withoutNul } from "../sql/parameters.ts";
import type { SqliteConnection } from "./connection.ts";

const ROWS_AT_ONCE = 500;

export function fillInitiators(connection: SqliteConnection): void {
  for (let last = 0; ; ) {
    const rows = connection.all<{ seq: number; body: string }>(READ, last, ROWS_AT_ONCE);
    for (const row of rows) {
      const { initiator } = approvalIn(row).call;
      if (initiator !== null) connection.run(FILL, withoutNul(initiator), row.seq);
    }
    if (rows.length < ROWS_AT_ONCE) return;
    last = rows.at(-1)?.seq ?? last;
  }
}

const READ = "select seq, body from approvals where seq > ? order by seq limit ?";
const FILL = "update approvals set initiator = ? where seq = ?";
