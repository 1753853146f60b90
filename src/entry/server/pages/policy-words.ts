/** A policy as sentences. */
import type { Approval } from "../../../approvals/approval.ts";
import { approversInWords } from "../../../approvals/rights.ts";
import { duration } from "./moment.ts";

export function policyInWords(approval: Approval): string[] {
  const { policy } = approval;
  const { count, notInitiator } = policy.approvers;
  const who = approversInWords(approval);
  const { escalation } = policy;
  return [
    count === 1 ? `One of these decides: ${who}.` : `${count} yes are needed, of different people: ${who}.`,
    "One no is enough to deny it.",
    ...(notInitiator ? ["Whoever the agent acts for may not decide."] : []),
    `It expires ${duration(policy.expiresAfterMs)} after it was asked.`,
    ...(policy.remindEveryMs === null ? [] : [`Approvers are reminded every ${duration(policy.remindEveryMs)}.`]),
    ...(escalation
      ? [
          `After ${duration(escalation.afterMs)} these may decide too: ${[
            ...escalation.people,
            ...escalation.roles.map((role) => `role ${role}`),
          ].join(", ")}${approval.isEscalated ? " (they have been asked)" : ""}.`,
        ]
      : []),
  ];
}
