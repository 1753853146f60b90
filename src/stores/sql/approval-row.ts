/** How an approval lies in a table: the same in both databases. */
import type { Approval, HistoryAction } from "../../approvals/approval.ts";
import { nextDueAt } from "../../approvals/transition.ts";
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
  "initiator",
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
    initiator: call.initiator,
  };
}

/** In the order of APPROVAL_COLUMNS. */
export function approvalValues(approval: Approval): unknown[] {
  const columns = approvalColumns(approval);
  return APPROVAL_COLUMNS.map((column) => withoutNul(columns[column]));
}

export const approvalIn = ({ body }: { readonly body: string }): Approval => JSON.parse(body);

export const SAYS_WORDS: ReadonlySet<HistoryAction> = new Set(["voted", "delegated"]);
