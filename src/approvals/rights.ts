/** Who may decide an approval. */
import { ADMIN, APPROVER, type Approval, type Person } from "./approval.ts";

export type Right = { readonly may: true } | { readonly may: false; readonly code: RightsCode; readonly why: string };
export type RightsCode = "other-organisation" | "self-approval" | "not-approver" | "delegated-away";

export function rightToDecide(approval: Approval, person: Person): Right {
  const { policy, call, delegations, organisation } = approval;
  if (person.organisation !== organisation)
    return no("other-organisation", "it belongs to another organisation than yours");
  if (policy.approvers.notInitiator && !call.initiator)
    return no("self-approval", "its rule keeps out whoever the agent acts for, and nobody said who that is");
  if (policy.approvers.notInitiator && call.initiator === person.id)
    return no("self-approval", "the agent acts for you, and its rule wants somebody else to decide");
  if (delegations.some(({ from }) => from === person.id))
    return no("delegated-away", "you handed this decision to somebody else");
  if (delegations.some(({ to }) => to === person.id) || person.roles.includes(ADMIN)) return { may: true };
  return isNamed(approval, person)
    ? { may: true }
    : no("not-approver", `only ${approversInWords(approval)} may decide this`);
}

function isNamed({ policy, isEscalated }: Approval, { id, roles }: Person): boolean {
  const groups = [policy.approvers, ...(isEscalated && policy.escalation ? [policy.escalation] : [])];
  if (groups.some(({ people, roles: wanted }) => people.includes(id) || wanted.some((role) => roles.includes(role))))
    return true;
  const { people, roles: wanted } = policy.approvers;
  return people.length === 0 && wanted.length === 0 && roles.includes(APPROVER);
}

export function approversInWords({ policy, isEscalated }: Pick<Approval, "policy" | "isEscalated">): string {
  const groups = [policy.approvers, ...(isEscalated && policy.escalation ? [policy.escalation] : [])];
  const named = groups.flatMap(({ people, roles }) => [...people, ...roles.map((role) => `role ${role}`)]);
  return named.length > 0 ? [...new Set(named)].join(", ") : "approvers of the organisation";
}

const no = (code: RightsCode, why: string): Right => ({ may: false, code, why });
