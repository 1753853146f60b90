/**
 * A question put to people, and the certainty that they were shown it. A digest says nothing to whoever reads a card, and
 * whoever has an agent's token can ask under any: a yes counts only if what was shown is the call it is taken for.
 */
import type { Approval, Policy } from "../approvals/approval.ts";
import type { Deed } from "../approvals/deed.ts";
import type { Desk, DeskRequest } from "../approvals/desk.ts";
import { withInitiator } from "../approvals/initiator.ts";
import { type Json, sameJson } from "../core/json.ts";

/** The approval that asks exactly this. One that asks something else under its digest is withdrawn, and people are asked anew. */
export async function putQuestion(desk: Desk, request: DeskRequest): Promise<Approval> {
  const found = await desk.request(request);
  if (isSameQuestion(found, request)) return found;
  await desk.withdraw(found.id, OTHERWISE, null);
  const fresh = await desk.request(request);
  if (isSameQuestion(fresh, request)) return fresh;
  await desk.withdraw(fresh.id, OTHERWISE, null);
  throw new ShownOtherwise(fresh.id);
}

const OTHERWISE = "what it shows is not the call that its digest is of";

/** Asked anew, people were shown another call again: whoever keeps approvals changes them, or somebody asks under this digest. */
export class ShownOtherwise extends Error {
  readonly approval: string;

  constructor(approval: string) {
    super(`approval ${approval} shows another call under the digest of this one, and was withdrawn`);
    this.approval = approval;
  }
}

/** Who the initiator and the agent are a server knows by the token: that a question is theirs the desk makes sure of. */
function isSameQuestion({ call, policy }: Approval, request: DeskRequest): boolean {
  const wanted = withInitiator(request.policy, call.initiator);
  return (
    sameJson(shownOf(call), shownOf(request.call)) &&
    isSameDeed(call, request.call) &&
    sameJson(decidersOf(policy), decidersOf(wanted))
  );
}

const shownOf = ({ host, session, cwd, tool, kind, input }: Approval["call"]): Json => ({
  ...{ host, session, cwd, tool, kind, input },
});

/** By the data, of which the desk made the words that people read, whatever release it is of. Words alone have to be ours. */
const isSameDeed = (shown: Approval["call"], wanted: Approval["call"]): boolean =>
  shown.deeds && wanted.deeds
    ? sameJson(deedsAsJson(shown.deeds), deedsAsJson(wanted.deeds))
    : !shown.deeds && sameJson([...shown.effects], [...wanted.effects]);

const deedsAsJson = (deeds: readonly Deed[]): Json =>
  deeds.map(({ kind, of, through }) => [kind, [...of], [...through]]);

/** Whose yes it takes, in one order. */
export const decidersOf = ({ approvers, escalation }: Policy): Json => [
  [...approvers.people].sort(),
  [...approvers.roles].sort(),
  approvers.count,
  approvers.notInitiator,
  ...(escalation ? [[escalation.afterMs, [...escalation.people].sort(), [...escalation.roles].sort()]] : []),
];
