import type { HistoryEntry, Person } from "../../approvals/approval.ts";
import type { ApprovalStore } from "../../approvals/store.ts";
import { APPROVAL_COLUMNS, approvalColumns, approvalIn, approvalValues, SAYS_WORDS } from "../sql/approval-row.ts";
import { withoutNul } from "../sql/parameters.ts";
import type { Bells } from "./bells.ts";
import type { SqliteConnection } from "./connection.ts";
import { SOMEBODY_WAS_FASTER } from "./migrations.ts";
import type { WordIndex } from "./word-index.ts";

export function approvalWrites(
  connection: SqliteConnection,
  bells: Bells,
  words: WordIndex,
): Pick<ApprovalStore, "insert" | "change"> {
  return {
    async insert(approval, history) {
      const open = await connection.write(() => {
        const { organisation, digest, agent, initiator } = approvalColumns(approval);
        const asked = [organisation, digest, agent, initiator].map(withoutNul);
        const [known] = connection.all<{ body: string }>(OPEN, ...asked);
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
    async change(next, history, members = []) {
      const { id, organisation, version, status, due_at, body } = approvalColumns(next);
      const [noted = null, notedToo = null] = history.map((entry) => JSON.stringify(entry));
      const values = [id, organisation, version, status, due_at, body, noted, notedToo];
      const isStored = await connection.write(
        () => {
          if (!members.every((member) => isAsRead(connection, member))) return "members";
          return isChanged(connection, values) && addHistory(connection, history.slice(2));
        },
        (isWritten) => isWritten === true && bells.ring(next, body),
      );
      if (isStored === true && history.some(({ action }) => SAYS_WORDS.has(action))) words.catchUpSoon();
      return isStored;
    },
  };
}

// The plus keeps the database from looking through all that one agent or person ever asked.
const OPEN = `
  select body from approvals
  where organisation = ? and digest = ? and +agent is ? and +initiator is ? and status in ('pending', 'approved') limit 1`;
const INSERT = `insert into approvals (${APPROVAL_COLUMNS.join(", ")}) values (${APPROVAL_COLUMNS.map(() => "?").join(", ")})`;
const NOTE = "insert into history (approval, organisation, body) values (?, ?, ?)";
const CHANGE =
  "insert into approval_changes (id, organisation, version, status, due_at, body, noted, noted_too) values (?, ?, ?, ?, ?, ?, ?, ?)";

const AS_READ = "select 1 from people where organisation = ? and id = ? and body = ?";

function isChanged(connection: SqliteConnection, values: readonly unknown[]): boolean {
  try {
    connection.run(CHANGE, ...values);
    return true;
  } catch (error) {
    if ((error as Error).message === SOMEBODY_WAS_FASTER) return false;
    throw error;
  }
}

const isAsRead = (connection: SqliteConnection, member: Person) =>
  connection.all(AS_READ, ...[member.organisation, member.id, JSON.stringify(member)].map(withoutNul)).length > 0;

function addHistory(connection: SqliteConnection, history: readonly HistoryEntry[]): true {
  for (const entry of history) connection.run(NOTE, entry.approval, entry.organisation, JSON.stringify(entry));
  return true;
}
