/** An approval as the one who asks may see it: whatever belongs to others is not there. */
import type { Approval } from "../../../approvals/approval.ts";
import type { Outcome } from "../../../approvals/service.ts";
import type { JsonObject } from "../../../core/json.ts";
import type { Principal } from "../principal.ts";
import { Problem, unknown } from "../problem.ts";
import type { RouteCall } from "../route.ts";

type Seeing = Pick<RouteCall<"/api/approvals/:id", unknown, unknown>, "context" | "principal" | "organisation"> & {
  readonly params: { readonly id: string };
};

/** How it stands now. */
export async function seenApproval(call: Seeing): Promise<Approval> {
  // Looked at before it is touched: reading it may settle what is overdue, which is not a stranger's to do.
  const known = await ownApproval(call);
  return (await call.context.approvals.current(known.id)) ?? known;
}

/** For whoever is about to change it: what changes it finds out how it stands. */
export async function ownApproval({ context, principal, organisation, params }: Seeing): Promise<Approval> {
  const known = await context.approvals.known(params.id);
  if (!known || known.organisation !== organisation) throw unknown(`approval ${params.id}`);
  if (principal.kind === "agent" && !isOwn(known, principal)) throw unknown(`approval ${params.id}`);
  return known;
}

/** What the agent's token may have asked: one for any agent is good for all, and so is one that names whom it acts for. */
const isOwn = ({ call }: Approval, { agent, initiator, namesInitiator }: Principal & { readonly kind: "agent" }) =>
  (agent === null || call.agent === agent) && (namesInitiator || call.initiator === initiator);

/** The approval after it changed; else the Problem, with all a program needs to know why. */
export function settledOutcome(outcome: Outcome): Approval {
  if (outcome.kind === "done") return outcome.approval;
  const { code, why, approval } = outcome;
  const body = {
    refusal: { code, why },
    ...(approval ? { approval: approval as unknown as JsonObject } : {}),
  };
  if (code === "unknown" || code === "other-organisation") throw unknown("such approval");
  if (code === "not-approver" || code === "self-approval" || code === "delegated-away")
    throw new Problem(403, "HF912", why, { body });
  throw new Problem(409, "HF915", why, { body });
}
