/** The pages of knowledge, and what people decide there. */
import { Hono } from "hono";
import type { JsonObject } from "../../../../core/json.ts";
import { redactJson } from "../../../../core/redact.ts";
import { NODE_TYPES } from "../../../../knowledge/base/node.ts";
import type { Deed } from "../../../../knowledge/curation/curate.ts";
import { readDecisions } from "../../../../knowledge/curation/decisions.ts";
import { proposalNamed, readQueue } from "../../../../knowledge/curation/queue.ts";
import { similarNodes, suggestedFolder } from "../../../../knowledge/curation/similar.ts";
import type { ServerCall, ServerContext, ServerEnv } from "../../context.ts";
import { isDecider } from "../../deciders.ts";
import { searchNodes } from "../../knowledge/find-nodes.ts";
import { around, graphOf } from "../../knowledge/graph.ts";
import type { KnowledgeBase } from "../../knowledge/knowledge-source.ts";
import { previewMerge, previewNew } from "../../knowledge/proposal-preview.ts";
import { basesOf, nodeNamed, seenBase } from "../../knowledge/seen-base.ts";
import { unusable } from "../../problem.ts";
import { leaveWord, type Sentences, takeWord } from "../flash.ts";
import { html } from "../markup.ts";
import { ownApi } from "../own-api.ts";
import { answerPage, viewerOf } from "../page-call.ts";
import { basesPage } from "./bases-page.ts";
import { graphPage } from "./graph-view.ts";
import { basePath, knowledgePage, proposalPath, type Tab } from "./knowledge-frame.ts";
import { nodePage } from "./node-page.ts";
import { nodesView } from "./nodes-page.ts";
import { proposalPage } from "./proposal-page.ts";
import { proposalsView } from "./proposals-page.ts";

const PAGE_NODES = 50;
const LIKELY_SAME = 0.6;

const SAID: Sentences = {
  accepted: (what) => html`Accepted: <bdi>${what}</bdi>`,
  merged: (what) => html`Merged into <bdi>${what}</bdi>`,
  rejected: (what) => html`Rejected: <bdi>${what}</bdi>`,
  later: (what) => html`Kept for later: <bdi>${what}</bdi>`,
  conflict: (what) => html`Set against <bdi>${what}</bdi>`,
  undone: (what) => html`Taken back. It waits again: <bdi>${what}</bdi>`,
  unindexed: (why) => html`It is written, but the generated pages are not up to date: <bdi>${why}</bdi>`,
};

export function knowledgeRoutes(context: ServerContext): Hono<ServerEnv> {
  const app = new Hono<ServerEnv>();
  const live = ({ id }: KnowledgeBase) => `/api/knowledge-events?base=${id}`;

  const opened = async (c: ServerCall) => {
    const viewer = await viewerOf(context, c);
    return { viewer, base: seenBase(context, viewer.person.organisation, c.req.param("base") ?? "") };
  };
  const framed = async (base: KnowledgeBase, tab: Tab, organisation: string) => {
    const { proposals } = await readQueue(base.curator.places);
    return { base, tab, waiting: proposals.length, hasOthers: basesOf(context, organisation).length > 1 };
  };

  app.get("/knowledge", async (c) => {
    const viewer = await viewerOf(context, c);
    const bases = basesOf(context, viewer.person.organisation);
    const [only] = bases;
    if (only && bases.length === 1) return c.redirect(basePath(only), 303);
    const shown = await Promise.all(
      bases.map(async (base) => ({
        base,
        nodes: base.tree().nodes.length,
        waiting: (await readQueue(base.curator.places)).proposals.length,
      })),
    );
    return answerPage(context, c, viewer, "Knowledge", basesPage(shown));
  });

  app.get("/knowledge/:base", async (c) => {
    const { viewer, base } = await opened(c);
    const { q: search = "", tag = "" } = c.req.query();
    const type = NODE_TYPES.find((name) => name === c.req.query("type")) ?? "";
    const page = pageNumber(c.req.query("page"));
    const { problems } = base.tree();
    const found = (await searchNodes(base, search)).filter(
      (node) => (type === "" || node.type === type) && (tag === "" || node.tags.includes(tag)),
    );
    const from = (page - 1) * PAGE_NODES;
    const shown = redactJson(found.slice(from, from + PAGE_NODES));
    const filter = { search, type, tag } as const;
    const hasMore = found.length > from + PAGE_NODES;
    const content = nodesView({ base, filter, nodes: shown, total: found.length, page, hasMore, problems });
    const frame = await framed(base, "nodes", viewer.person.organisation);
    const said = takeWord(context, c, SAID);
    return answerPage(context, c, viewer, base.name, knowledgePage(frame, said, content), live(base));
  });

  app.get("/knowledge/:base/graph", async (c) => {
    const { viewer, base } = await opened(c);
    const search = c.req.query("q") ?? "";
    const { nodes } = base.tree();
    const found = search === "" ? nodes : around(nodes, await searchNodes(base, search));
    const frame = await framed(base, "graph", viewer.person.organisation);
    const content = knowledgePage(frame, null, graphPage(base, graphOf(found), search));
    return answerPage(context, c, viewer, `Graph of ${base.name}`, content, live(base));
  });

  app.get("/knowledge/:base/nodes/:id", async (c) => {
    const { viewer, base } = await opened(c);
    const { nodes } = base.tree();
    const node = redactJson(nodeNamed(nodes, c.req.param("id")));
    const content = nodePage({ base, node, all: nodes, graph: graphOf(around(nodes, [node])) });
    return answerPage(context, c, viewer, node.title, content, live(base));
  });

  app.get("/knowledge/:base/proposals", async (c) => {
    const { viewer, base } = await opened(c);
    const [queue, frame] = await Promise.all([
      readQueue(base.curator.places),
      framed(base, "proposals", viewer.person.organisation),
    ]);
    const [origin, decision] = [...readDecisions(base.curator.places)].at(-1) ?? [];
    const last = origin !== undefined && decision ? { ...decision, origin } : undefined;
    const waiting = { base, queue: redactJson(queue), last, mayDecide: isDecider(viewer.person) };
    const content = knowledgePage(frame, takeWord(context, c, SAID), proposalsView(waiting, viewer));
    return answerPage(context, c, viewer, `Proposals for ${base.name}`, content, live(base));
  });

  app.get("/knowledge/:base/proposals/:origin", async (c) => {
    const { viewer, base } = await opened(c);
    const queue = await readQueue(base.curator.places);
    const proposal = redactJson(proposalNamed(queue, c.req.param("origin")));
    const { nodes } = base.tree();
    const similar = similarNodes(proposal.candidate, nodes);
    const wanted = c.req.query("into");
    const likely = similar.find(({ score }) => score >= LIKELY_SAME)?.node.id ?? "";
    const intoId = wanted ?? likely;
    const into = intoId === "" ? undefined : nodeNamed(nodes, intoId);
    const folder = suggestedFolder(proposal.candidate, similar, nodes, proposal.source.folder);
    const preview = redactJson(into ? previewMerge(proposal, into, nodes) : previewNew(proposal, folder, nodes));
    const mayDecide = isDecider(viewer.person);
    const left = queue.proposals.length;
    const said = takeWord(context, c, SAID);
    const shown = { base, proposal, similar: redactJson(similar), into: into && redactJson(into), folder, preview };
    const content = proposalPage({ ...shown, left, mayDecide }, viewer);
    return answerPage(
      context,
      c,
      viewer,
      proposal.candidate.title,
      html`<div id="said">${said}</div>${content}`,
      live(base),
    );
  });

  app.post("/knowledge/:base/proposals/:origin", async (c) => {
    const { base } = await opened(c);
    const { proposals } = await readQueue(base.curator.places);
    const origin = c.req.param("origin");
    const at = proposals.findIndex((known) => known.origin === origin);
    const title = redactJson(proposals[at]?.candidate.title ?? origin);
    const next = proposals[at + 1];
    const params = { base: base.id, origin };
    const deed = await ownApi<Deed>(context, c, "decideProposal", { params, body: wishOf(context.form(c)) });
    const about = deed.decision === "merged" ? (deed.nodeId ?? "") : title;
    return done(c, next ? proposalPath(base, next.origin) : `${basePath(base)}/proposals`, deed, about);
  });

  app.post("/knowledge/:base/undo", async (c) => {
    const { base } = await opened(c);
    const given = { params: { base: base.id }, body: { origin: context.form(c).origin ?? "" } };
    const deed = await ownApi<Deed>(context, c, "undoDecision", given);
    return done(c, `${basePath(base)}/proposals`, { ...deed, decision: "undone" }, deed.origin);
  });
  return app;

  function done(c: ServerCall, path: string, deed: Omit<Deed, "decision"> & { decision: string }, about: string) {
    const isStale = deed.indexProblem !== undefined;
    leaveWord(context, c, isStale ? "unindexed" : deed.decision, (deed.indexProblem ?? about).slice(0, 300));
    return c.redirect(path, 303);
  }
}

/** What the form says, as the API takes it. An empty field changes nothing; browsers send line breaks as two characters. */
function wishOf(form: Readonly<Record<string, string>>): JsonObject {
  const { what = "", into = "", folder = "", title, description, tags, confidence, body } = form;
  if (what === "merge") return { decision: what, into };
  if (what !== "accept") return { decision: what };
  const filled = Object.entries({ title, description, confidence, body: body?.replaceAll("\r\n", "\n") }).filter(
    (entry): entry is [string, string] => (entry[1] ?? "").trim() !== "",
  );
  const listed = tags
    ?.split(",")
    .map((tag) => tag.trim())
    .filter((tag) => tag !== "");
  return { decision: what, folder, ...Object.fromEntries(filled), ...(listed ? { tags: listed } : {}) };
}

function pageNumber(text: string | undefined): number {
  if (text === undefined) return 1;
  if (!/^[1-9]\d{0,5}$/.test(text)) throw unusable(`${text} is no page`, "Begin at the first page.");
  return Number(text);
}
