/** Knowledge of this machine's projects, for programs: nodes, what waits, and news. */
import { z } from "zod";
import { redactJson } from "../../../core/redact.ts";
import { CONFIDENCES, NODE_TYPES } from "../../../knowledge/base/node.ts";
import type { PlacedNode } from "../../../knowledge/base/tree.ts";
import { type Proposal, readQueue } from "../../../knowledge/curation/queue.ts";
import { searchNodes } from "../knowledge/find-nodes.ts";
import { basesOf, seenBase } from "../knowledge/seen-base.ts";
import { unknown } from "../problem.ts";
import { route } from "../route.ts";
import { serverSentEvents } from "../server-sent-events.ts";
import { countedStream } from "../stream-count.ts";

const text = z.string();
const described = {
  type: z.enum(NODE_TYPES),
  title: text,
  description: text,
  tags: z.array(text),
  confidence: z.enum(CONFIDENCES),
  body: text,
};

const node = z
  .strictObject({
    ...described,
    id: text,
    path: text.describe("from nodes/ down"),
    derivedFrom: z.array(text),
    relatesTo: z.array(text),
    dependsOn: z.array(text),
  })
  .meta({ id: "KnowledgeNode" });

export const proposal = z
  .strictObject({
    ...described,
    origin: text.describe("names it for good"),
    from: text.describe("the session or document it was made of"),
    isLater: z.boolean().describe("a person has put it off"),
  })
  .meta({ id: "KnowledgeProposal" });

export const knowledgeRoutes = [
  route({
    method: "get",
    path: "/api/knowledge",
    operation: "listKnowledge",
    summary: "The knowledge bases there are",
    access: ["member"],
    answer: z.strictObject({ bases: z.array(z.strictObject({ id: text, name: text, nodes: z.number().int() })) }),
    handle: async ({ context, organisation }) => ({
      bases: basesOf(context, organisation).map((base) => ({
        id: base.id,
        name: base.name,
        nodes: base.tree().nodes.length,
      })),
    }),
  }),
  route({
    method: "get",
    path: "/api/knowledge/:base/nodes",
    operation: "searchKnowledge",
    summary: "Nodes by what they say, the likeliest first",
    access: ["member"],
    query: z.strictObject({
      search: z.string().max(500).default(""),
      limit: z.coerce.number().int().min(1).max(200).default(20),
    }),
    answer: z.strictObject({ nodes: z.array(node), total: z.number().int() }),
    refusals: [404],
    handle: async ({ context, organisation, params, query }) => {
      const found = await searchNodes(seenBase(context, organisation, params.base), query.search);
      return { nodes: redactJson(found.slice(0, query.limit).map(shownNode)), total: found.length };
    },
  }),
  route({
    method: "get",
    path: "/api/knowledge/:base/proposals",
    operation: "listProposals",
    summary: "What waits for a person's decision",
    access: ["member"],
    answer: z.strictObject({ proposals: z.array(proposal) }),
    refusals: [404],
    handle: async ({ context, organisation, params }) => {
      const { proposals } = await readQueue(seenBase(context, organisation, params.base).curator.places);
      return { proposals: proposals.map(shownProposal) };
    },
  }),
  route({
    method: "get",
    path: "/api/knowledge-events",
    operation: "watchKnowledge",
    summary: "Server-sent events: `knowledge` whenever nodes, proposals or decisions changed, `ready` once it listens",
    access: ["member"],
    query: z.strictObject({ base: z.string().max(200) }),
    answer: ["text/event-stream"],
    refusals: [404],
    handle: async ({ c, context, principal, organisation, query }) => {
      const { knowledge } = context;
      if (!knowledge) throw unknown("such knowledge base");
      const base = seenBase(context, organisation, query.base);
      const reader = {
        isStillSignedIn: c.get("isStillSignedIn"),
        gone: c.req.raw.signal,
        onEnd: countedStream(principal),
      };
      return serverSentEvents(context, reader, async (send, atEnd) => {
        atEnd(knowledge.watch(base, () => send("knowledge", { base: base.id })));
        send("ready", {});
      });
    },
  }),
];

export const shownProposal = ({ origin, candidate, source, isLater }: Proposal) =>
  redactJson({
    origin,
    type: candidate.type,
    title: candidate.title,
    description: candidate.description,
    tags: [...candidate.tags],
    confidence: candidate.confidence,
    body: candidate.body,
    from: source.reference,
    isLater,
  });

const shownNode = (found: PlacedNode) => ({
  id: found.id,
  path: found.path,
  type: found.type,
  title: found.title,
  description: found.description,
  tags: [...found.tags],
  confidence: found.confidence,
  body: found.body,
  derivedFrom: [...found.derivedFrom],
  relatesTo: [...found.relatesTo],
  dependsOn: [...found.dependsOn],
});
