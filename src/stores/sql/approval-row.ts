/** How an approval lies in a table: the same in both databases. */
import type { Approval, HistoryAction, HistoryEntry } from "../../approvals/approval.ts";
import { nextDueAt } from "../../approvals/transition.ts";
import { searchableWords } from "../words.ts";
import { withoutNul } from "./parameters.ts";

export const APPROVAL_COLUMNS = [
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

export function approvalColumns(approval: Approval) {
  const { id, organisation, digest, status, version, call } = approval;
  const dueAt = nextDueAt(approval);
  return {
    id,
    organisation,
    digest,
    status,
    version,
    session: call.session,
    agent: call.agent,
    tool: call.tool,
    due_at: dueAt === undefined ? null : Date.parse(dueAt),
    body: JSON.stringify(approval),
  };
}

/** In the order of APPROVAL_COLUMNS. */
export function approvalValues(approval: Approval): unknown[] {
  const columns = approvalColumns(approval);
  return APPROVAL_COLUMNS.map((column) => withoutNul(columns[column]));
}

export const approvalIn = ({ body }: { readonly body: string }): Approval => JSON.parse(body);

/** The words of an approval, if what happened brought new ones that can be searched for. */
export const changedWords = (approval: Approval, history: readonly HistoryEntry[]): readonly string[] | undefined =>
  history.some(({ action }) => SAYS_WORDS.has(action)) ? searchableWords(approval) : undefined;

export const SAYS_WORDS: ReadonlySet<HistoryAction> = new Set(["voted", "delegated"]);
