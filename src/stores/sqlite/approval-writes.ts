import type { HistoryEntry } from "../../approvals/approval.ts";
import type { ApprovalStore } from "../../approvals/store.ts";
import { APPROVAL_COLUMNS, approvalColumns, approvalIn, approvalValues, SAYS_WORDS } from "../sql/approval-row.ts";
import type { Bells } from "./bells.ts";
import type { SqliteConnection } from "./connection.ts";
import type { WordIndex } from "./word-index.ts";

export function approvalWrites(
  connection: SqliteConnection,
  bells: Bells,
  words: WordIndex,
): Pick<ApprovalStore, "insert" | "change"> {
  return {
    async insert(approval, history) {
      const open = await connection.write(() => {
        const [known] = connection.all<{ body: string }>(OPEN, approval.organisation, approval.digest);
        if (known) return approvalIn(known);
        const { lastInsertRowid } = connection.run(INSERT, ...approvalValues(approval));
        words.add(lastInsertRowid, approval);
        addHistory(connection, history);
        return undefined;
      });
      if (open) return { stored: false, approval: open };
      bells.ring(approval, JSON.stringify(approval));
      return { stored: true, approval };
    },
    async change(next, history) {
      const { status, version, due_at, body } = approvalColumns(next);
      const isStored = await connection.write(() => {
        const { changes } = connection.run(CHANGE, status, version, due_at, body, next.id, version - 1);
        if (changes === 0) return false;
        addHistory(connection, history);
        return true;
      });
      if (!isStored) return false;
      bells.ring(next, body);
      if (history.some(({ action }) => SAYS_WORDS.has(action))) words.catchUpSoon();
      return true;
    },
  };
}

const OPEN =
  "select body from approvals where organisation = ? and digest = ? and status in ('pending', 'approved') limit 1";
const INSERT = `insert into approvals (${APPROVAL_COLUMNS.join(", ")}) values (${APPROVAL_COLUMNS.map(() => "?").join(", ")})`;
const CHANGE = "update approvals set status = ?, version = ?, due_at = ?, body = ? where id = ? and version = ?";

function addHistory(connection: SqliteConnection, history: readonly HistoryEntry[]): void {
  if (history.length === 0) return;
  const values = history.map((entry) => [entry.approval, entry.organisation, JSON.stringify(entry)]);
  const places = values.map(() => "(?, ?, ?)").join(", ");
  connection.run(`insert into history (approval, organisation, body) values ${places}`, ...values.flat());
}
