/** Approvals as agents ask for them and wait for them, and as people read them. */
import { z } from "zod";
import { type Approval, STATUSES } from "../../../approvals/approval.ts";
import { withEscalationChannel } from "../../../approvals/choose-channel.ts";
import { inOwnWords } from "../../../approvals/deed.ts";
import { DeskRefusal } from "../../../approvals/desk.ts";
import { withInitiator } from "../../../approvals/initiator.ts";
import { whereToAsk } from "../../../approvals/local-desk.ts";
import { rightToDecide } from "../../../approvals/rights.ts";
import { APPROVAL_MODES, type ApprovalMode } from "../../../core/approval-rule.ts";
import type { ServerContext } from "../context.ts";
import { forbidden, Problem } from "../problem.ts";
import { route } from "../route.ts";
import { approval, draft, historyEntry, next, paging } from "../schemas.ts";
import { ownApproval, seenApproval, settledOutcome } from "./seen-approval.ts";

const statuses = z
  .string()
  .transform((text) => text.split(","))
  .pipe(z.array(z.enum(STATUSES)))
  .describe(`some of ${STATUSES.join(", ")}, with commas between`);

const filter = z.string().max(500).optional();

/** Longer than this no proxy is asked to hold a request open. */
const MAX_WAIT_MS = 25_000;

export const approvalRoutes = [
  route({
    method: "get",
    path: "/api/approvals",
    operation: "listApprovals",
    summary: "Approvals of the organisation, the newest first",
    access: ["member", "agent:wait"],
    query: z.strictObject({
      status: statuses.optional(),
      session: filter,
      sessionTree: filter.describe("a session, and those of its sub-agents"),
      agent: filter,
      tool: filter,
      search: filter.describe("words that all stand in the call, the rule, the reasons or the names"),
      ...paging,
    }),
    answer: z.strictObject({ approvals: z.array(approval), next }),
    handle: async ({ context, principal, organisation, query }) => {
      const { status, session, sessionTree, tool, search, cursor, limit } = query;
      // What was denied binds every agent of the session, so every agent of it may read it.
      const isBinding = sessionTree !== undefined && status?.every((one) => one === "denied") === true;
      const own = principal.kind === "agent" && !isBinding ? principal : null;
      const agent = own?.agent ?? query.agent;
      const page = await context.stores.list({
        organisation,
        limit,
        ...(status ? { statuses: status } : {}),
        ...(session === undefined ? {} : { session }),
        ...(sessionTree === undefined ? {} : { sessionTree }),
        ...(agent === undefined ? {} : { agent }),
        ...(own && !own.namesInitiator ? { initiator: own.initiator } : {}),
        ...(tool === undefined ? {} : { tool }),
        ...(search === undefined ? {} : { search }),
        ...(cursor === undefined ? {} : { cursor }),
      });
      return { approvals: [...page.approvals], next: page.next ?? null };
    },
  }),
  route({
    method: "post",
    path: "/api/approvals",
    operation: "requestApproval",
    summary: "Asks people about one call; the very same call is not asked about twice",
    access: ["agent:request"],
    body: draft.extend({
      mode: z.enum(APPROVAL_MODES).default("auto").describe("channel: a channel is a must; inline: none is used"),
    }),
    answer: approval,
    refusals: [409],
    handle: async ({ context, principal, organisation, body }) => {
      if (principal.kind !== "agent") throw forbidden("only an agent can ask for an approval");
      const { agent: named } = principal;
      if (named !== null && body.call.agent !== null && body.call.agent !== named)
        throw forbidden(`the token is for the agent ${named} only`);
      // Who that is says the token, and the machine only where an admin trusts it to.
      const initiator = principal.namesInitiator ? body.call.initiator || null : principal.initiator;
      if (initiator === null && body.policy.approvers.notInitiator) throw nobodyToKeepOut();
      const { mode, ...asked } = body;
      const channel = await channelFor(context, organisation, mode, body.channel);
      const call = inOwnWords({ ...body.call, agent: named ?? body.call.agent, initiator });
      const policy = await withEscalationChannel(
        context.stores,
        organisation,
        withInitiator(body.policy, call.initiator),
      );
      return context.approvals.request({ ...asked, call, policy, channel, organisation });
    },
  }),
  route({
    method: "get",
    path: "/api/approvals/:id",
    operation: "getApproval",
    summary: "One approval, with its true arguments and how it stands now",
    access: ["member", "agent:wait"],
    answer: z.strictObject({
      approval,
      mayDecide: z.boolean().describe("whether the one who asks may decide it now"),
      why: z.string().describe("why not; else empty"),
    }),
    refusals: [404],
    handle: async (call) => {
      const seen = await seenApproval(call);
      return { approval: seen, ...decidableBy(seen, call.principal) };
    },
  }),
  route({
    method: "get",
    path: "/api/approvals/:id/wait",
    operation: "waitForApproval",
    summary: "Answers as soon as the approval is newer than the version given, at the latest after the time given",
    access: ["member", "agent:wait"],
    query: z.strictObject({
      version: z.coerce.number().int().min(0).describe("the version that is known already"),
      waitMs: z.coerce.number().int().min(0).max(MAX_WAIT_MS).default(MAX_WAIT_MS),
    }),
    answer: approval,
    refusals: [404],
    handle: async (call) => {
      const { context, query, params, c } = call;
      const seen = await seenApproval(call);
      if (seen.version > query.version) return seen;
      const gone = new AbortController();
      const end = () => gone.abort();
      const timer = setTimeout(end, query.waitMs);
      const ends = [context.closing, c.req.raw.signal];
      for (const signal of ends) signal.addEventListener("abort", end, { once: true });
      if (ends.some(({ aborted }) => aborted)) end();
      try {
        const isNews = ({ version }: Approval) => version > query.version;
        return (await context.approvals.until(params.id, isNews, gone.signal)) ?? seen;
      } finally {
        clearTimeout(timer);
        for (const signal of ends) signal.removeEventListener("abort", end);
      }
    },
  }),
  route({
    method: "get",
    path: "/api/approvals/:id/history",
    operation: "getApprovalHistory",
    summary: "All that was ever done about an approval, refused attempts too",
    access: ["member"],
    answer: z.strictObject({ history: z.array(historyEntry) }),
    refusals: [404],
    handle: async (call) => {
      const { id } = await seenApproval(call);
      return { history: [...(await call.context.stores.history(id))] };
    },
  }),
  route({
    method: "post",
    path: "/api/approvals/:id/use",
    operation: "useApproval",
    summary: "Takes the yes for the call that is about to run: the one it was given for, once",
    access: ["agent:use"],
    body: z.strictObject({ digest: z.string().max(200), eventId: z.string().max(200) }),
    answer: approval,
    refusals: [404, 409],
    handle: async (call) => {
      const { id } = await ownApproval(call);
      return settledOutcome(await call.context.approvals.use(id, call.body));
    },
  }),
  route({
    method: "post",
    path: "/api/approvals/:id/withdraw",
    operation: "withdrawApproval",
    summary: "Whoever asked no longer wants to know",
    access: ["admin", "agent:request"],
    body: z.strictObject({ why: z.string().max(2000) }),
    answer: approval,
    refusals: [404, 409],
    handle: async (call) => {
      const { principal, body, context } = call;
      const { id } = await ownApproval(call);
      const member = principal.kind === "person" ? principal.person : undefined;
      return settledOutcome(await context.approvals.withdraw(id, body.why, member?.id ?? null, member));
    },
  }),
];

/** Closed: with nobody named, whoever had the agent ask could say yes. */
const nobodyToKeepOut = () =>
  new Problem(
    403,
    "HF912",
    "the rule wants somebody else to decide than the one the agent acts for, and this token acts for nobody",
    {
      fix: "Ask an admin for a token that acts for a person (onBehalfOf), or one that names whom each call is for (namesInitiator).",
    },
  );

async function channelFor(context: ServerContext, organisation: string, mode: ApprovalMode, wanted: string | null) {
  try {
    return await whereToAsk(context.stores, organisation, mode, wanted);
  } catch (error) {
    if (error instanceof DeskRefusal) throw new Problem(409, "HF936", error.message);
    throw error;
  }
}

function decidableBy(seen: Approval, principal: Parameters<typeof seenApproval>[0]["principal"]) {
  if (seen.status !== "pending") return { mayDecide: false, why: `it is ${seen.status}` };
  if (principal.kind === "agent") return { mayDecide: false, why: "agents never decide" };
  const right = rightToDecide(seen, principal.person);
  if (!right.may) return { mayDecide: false, why: right.why };
  if (seen.votes.some(({ by }) => by === principal.person.id))
    return { mayDecide: false, why: "you have said yes already; it waits for others" };
  return { mayDecide: true, why: "" };
}
