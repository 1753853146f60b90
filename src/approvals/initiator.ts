import { INITIATOR } from "../core/approval-rule.ts";
import type { Policy } from "./approval.ts";

/** With the person themselves in the place of `@initiator`. Nobody known: it stays, and is nobody's name. */
export function withInitiator(policy: Policy, initiator: string | null): Policy {
  if (initiator === null) return policy;
  const named = (people: readonly string[]) => [
    ...new Set(people.map((name) => (name === INITIATOR ? initiator : name))),
  ];
  const { approvers, escalation } = policy;
  return {
    ...policy,
    approvers: { ...approvers, people: named(approvers.people) },
    escalation: escalation && { ...escalation, people: named(escalation.people) },
  };
}
