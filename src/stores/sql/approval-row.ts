import type { Approval } from "../../approvals/approval.ts";
import { nextDueAt } from "../../approvals/transition.ts";

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

export const approvalIn = ({ body }: { readonly body: string }): Approval => JSON.parse(body);
