/** What people decide on proposals, in pages and by their own API tokens: the same code, rights and limits. */
import { z } from "zod";
import { redactJson } from "../../../core/redact.ts";
import { CONFIDENCES, MAX_NODE_BYTES } from "../../../knowledge/base/node.ts";
import type { ProposedNode } from "../../../knowledge/curation/contracts.ts";
import {
  accept,
  type Curator,
  type Deed,
  keepForLater,
  merge,
  reject,
  undo,
} from "../../../knowledge/curation/curate.ts";
import { DECISIONS } from "../../../knowledge/curation/decisions.ts";
import { type Proposal, readQueue } from "../../../knowledge/curation/queue.ts";
import { similarNodes } from "../../../knowledge/curation/similar.ts";
import type { ServerContext } from "../context.ts";
import { assertDecider, onDecidersWord } from "../deciders.ts";
import type { KnowledgeBase } from "../knowledge/knowledge-source.ts";
import { seenBase } from "../knowledge/seen-base.ts";
import { unknown } from "../problem.ts";
import { type RouteCall, route } from "../route.ts";
import { proposal, shownProposal } from "./knowledge.ts";
import { personOf } from "./person-of.ts";

const words = z.string().trim().min(1).max(100_000);
/** What is proposed may be as long as a node, and a form sends all of it back. */
const longWords = z.string().trim().min(1).max(MAX_NODE_BYTES);

const decision = z
  .discriminatedUnion("decision", [
    z
      .strictObject({
        decision: z.literal("accept"),
        folder: z.string().trim().max(500).default("").describe("from nodes/ down"),
        title: words.optional(),
        description: words.optional(),
        tags: z.array(z.string().max(200)).max(100).optional(),
        confidence: z.enum(CONFIDENCES).optional(),
        body: longWords.optional(),
      })
      .describe("a node of its own, with what is given here in place of what was proposed"),
    z.strictObject({ decision: z.literal("merge"), into: z.string().max(500).describe("id of the node") }),
    z.strictObject({ decision: z.literal("reject") }),
    z.strictObject({ decision: z.literal("later") }),
  ])
  .meta({ id: "KnowledgeDecision" });

type Wish = z.output<typeof decision>;

const deed = z
  .strictObject({
    origin: z.string(),
    decision: z.enum(DECISIONS),
    nodeId: z.string().optional(),
    file: z.string().optional().describe("what was written, from the project's root down"),
    indexProblem: z.string().optional().describe("why the generated pages are not up to date after it"),
    unsettled: z.string().optional().describe("why its session's log does not say so yet"),
  })
  .meta({ id: "KnowledgeDeed" });

const LIMIT = { times: 120, perMs: 60_000 };

export const knowledgeDecisionRoutes = [
  route({
    method: "get",
    path: "/api/knowledge/:base/proposals/:origin",
    operation: "getProposal",
    summary: "One proposal, and the nodes most like it",
    access: ["member"],
    answer: z.strictObject({
      proposal,
      similar: z.array(z.strictObject({ id: z.string(), title: z.string(), score: z.number() })),
    }),
    refusals: [404],
    handle: async ({ context, organisation, params }) => {
      const base = seenBase(context, organisation, params.base);
      const found = await waiting(base, params.origin);
      const similar = similarNodes(found.candidate, base.tree().nodes);
      return {
        proposal: shownProposal(found),
        similar: similar.map(({ node, score }) => ({ id: node.id, title: redactJson(node.title), score })),
      };
    },
  }),
  route({
    method: "post",
    path: "/api/knowledge/:base/proposals/:origin/decide",
    operation: "decideProposal",
    summary: "Decides on a proposal, as approver or admin. Of several at once one decides",
    access: ["member"],
    body: decision,
    answer: deed,
    refusals: [404, 409],
    limit: LIMIT,
    handle: async ({ params, body, ...call }) => {
      const { base, by, onTheirWord } = decidedOn(params.base, call);
      // What was shown is what is written: without secrets.
      const found = await waiting(base, params.origin);
      return noted(call.context, base, by, await onTheirWord(() => decide(base.curator, found, body)));
    },
  }),
  route({
    method: "post",
    path: "/api/knowledge/:base/undo",
    operation: "undoDecision",
    summary: "Takes a decision on a proposal back, as approver or admin; it waits again",
    access: ["member"],
    body: z.strictObject({ origin: z.string().max(200) }),
    answer: deed,
    refusals: [404, 409],
    limit: LIMIT,
    handle: async ({ params, body, ...call }) => {
      const { base, by, onTheirWord } = decidedOn(params.base, call);
      const done = await onTheirWord(() => undo(base.curator, body.origin));
      return noted(call.context, base, `${by} took back`, done);
    },
  }),
];

/** By its whole name: a part of one may be another's by the time it is decided. */
async function waiting({ curator }: KnowledgeBase, origin: string): Promise<Proposal> {
  const found = (await readQueue(curator.places)).proposals.find((known) => known.origin === origin);
  if (!found) throw unknown(`proposal ${origin} that waits`);
  return redactJson(found);
}

/** The base that is decided on, and by whom, as logs name them. Refuses whoever may not decide. */
function decidedOn(name: string, { context, organisation, principal }: Caller): DecidedOn {
  const base = seenBase(context, organisation, name);
  const person = personOf(principal);
  const what = "knowledge is decided on";
  assertDecider(person, what);
  const onTheirWord = (write: () => Promise<Deed>) => onDecidersWord(context, person, what, write);
  return { base, by: `${person.organisation}: ${person.id}`, onTheirWord };
}
interface DecidedOn {
  readonly base: KnowledgeBase;
  readonly by: string;
  onTheirWord(write: () => Promise<Deed>): Promise<Deed>;
}
type Caller = Pick<RouteCall<string, unknown, unknown>, "context" | "organisation" | "principal">;

function noted(context: ServerContext, base: KnowledgeBase, by: string, done: Deed): Deed {
  context.log(`${by} ${done.decision} ${done.origin} in ${base.name}`);
  if (done.unsettled !== undefined) context.log(`the log of ${done.origin} is settled later: ${done.unsettled}`);
  return done;
}

function decide(curator: Curator, found: Proposal, wish: Wish): Promise<Deed> {
  switch (wish.decision) {
    case "accept":
      return accept(curator, found, changed(found.candidate, wish), wish.folder);
    case "merge":
      return merge(curator, found, wish.into);
    case "reject":
      return reject(curator, found);
    case "later":
      return keepForLater(curator, found);
  }
}

function changed(candidate: ProposedNode, wish: Extract<Wish, { decision: "accept" }>): ProposedNode {
  const { title, description, tags, body, confidence } = wish;
  return {
    ...candidate,
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    ...(tags === undefined ? {} : { tags }),
    ...(body === undefined ? {} : { body }),
    ...(confidence === undefined ? {} : { confidence }),
  };
}
