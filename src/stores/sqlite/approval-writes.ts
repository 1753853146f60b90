import type { Approval, HistoryEntry } from "../../approvals/approval.ts";
import type { ApprovalStore } from "../../approvals/store.ts";
import { approvalColumns, approvalIn } from "../sql/approval-row.ts";
import { withoutNul } from "../sql/parameters.ts";
import { searchableWords } from "../words.ts";
import type { Bells } from "./bells.ts";
import type { SqliteConnection } from "./connection.ts";

export function approvalWrites(connection: SqliteConnection, bells: Bells): Pick<ApprovalStore, "insert" | "change"> {
  return {
    async insert(approval, history) {
      const open = await connection.write(() => {
        const [known] = connection.all<{ body: string }>(OPEN, approval.organisation, approval.digest);
        if (known) return approvalIn(known);
        const { lastInsertRowid } = connection.run(INSERT, ...columnsOf(approval));
        connection.run("insert into approval_words (rowid, words) values (?, ?)", lastInsertRowid, wordsText(approval));
        addHistory(connection, history);
        return undefined;
      });
      if (open) return { stored: false, approval: open };
      bells.ring(approval.id);
      return { stored: true, approval };
    },
    async change(next, history) {
      const isStored = await connection.write(() => {
        const { status, version, due_at, body } = approvalColumns(next);
        const { changes } = connection.run(CHANGE, status, version, due_at, body, next.id, version - 1);
        if (changes === 0) return false;
        if (history.some(({ action }) => SAYS_WORDS.has(action)))
          connection.run(CHANGE_WORDS, wordsText(next), next.id);
        addHistory(connection, history);
        return true;
      });
      if (isStored) bells.ring(next.id);
      return isStored;
    },
  };
}

const OPEN =
  "select body from approvals where organisation = ? and digest = ? and status in ('pending', 'approved') limit 1";
const COLUMNS = [
  "id",
  "organisation",
  "digest",
  "status",
  "version",
  "session",
  "agent",
  "tool",
  "due_at",
  "body",
] as const;
const INSERT = `insert into approvals (${COLUMNS.join(", ")}) values (${COLUMNS.map(() => "?").join(", ")})`;
const CHANGE = "update approvals set status = ?, version = ?, due_at = ?, body = ? where id = ? and version = ?";
const CHANGE_WORDS = "update approval_words set words = ? where rowid = (select seq from approvals where id = ?)";

/** What brings new words that can be searched for. */
const SAYS_WORDS: ReadonlySet<string> = new Set(["voted", "delegated"]);

function columnsOf(approval: Approval): readonly unknown[] {
  const columns = approvalColumns(approval);
  return COLUMNS.map((column) => withoutNul(columns[column]));
}

/** A blank before each, so that a word's beginning can be told from its middle. */
const wordsText = (approval: Approval) =>
  searchableWords(approval)
    .map((word) => ` ${word}`)
    .join("");

function addHistory(connection: SqliteConnection, history: readonly HistoryEntry[]): void {
  if (history.length === 0) return;
  const values = history.map((entry) => [entry.approval, entry.organisation, JSON.stringify(entry)]);
  const places = values.map(() => "(?, ?, ?)").join(", ");
  connection.run(`insert into history (approval, organisation, body) values ${places}`, ...values.flat());
}
