/** What people say to approvals. */
import { z } from "zod";
import { unknown } from "../problem.ts";
import { route } from "../route.ts";
import { approval, reason } from "../schemas.ts";
import { personOf } from "./person-of.ts";
import { ownApproval, settledOutcome } from "./seen-approval.ts";

export const decisionRoutes = [
  route({
    method: "post",
    path: "/api/approvals/:id/respond",
    operation: "respondToApproval",
    summary: "Says yes or no. Of several at once one decides; the others are told what was decided",
    access: ["member"],
    body: z.strictObject({ decision: z.enum(["approve", "deny"]), reason }),
    answer: approval,
    refusals: [404, 409],
    limit: { times: 120, perMs: 60_000 },
    handle: async (call) => {
      const { principal, body, context } = call;
      const person = personOf(principal);
      const { id } = await ownApproval(call);
      const via = principal.kind === "person" ? principal.via : "api";
      const ballot = { person, isMember: true, kind: body.decision, reason: body.reason, via } as const;
      return settledOutcome(await context.approvals.vote(id, ballot));
    },
  }),
  route({
    method: "post",
    path: "/api/approvals/:id/delegate",
    operation: "delegateApproval",
    summary: "Hands one's right to decide to somebody else of the organisation",
    access: ["member"],
    body: z.strictObject({ to: z.string().max(200).describe("id of the person") }),
    answer: approval,
    refusals: [404, 409],
    limit: { times: 120, perMs: 60_000 },
    handle: async (call) => {
      const { context, organisation, body } = call;
      const from = personOf(call.principal);
      const { id } = await ownApproval(call);
      const to = await context.stores.person(organisation, body.to);
      if (!to) throw unknown(`person ${body.to}`);
      return settledOutcome(await context.approvals.delegate(id, from, to));
    },
  }),
];
