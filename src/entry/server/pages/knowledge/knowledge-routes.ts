/** The pages of knowledge, and what people decide there. */
import { Hono } from "hono";
import { redactJson } from "../../../../core/redact.ts";
import { CONFIDENCES, NODE_TYPES } from "../../../../knowledge/base/node.ts";
import type { ProposedNode } from "../../../../knowledge/curation/contracts.ts";
import { accept, type Deed, keepForLater, merge, reject, undo } from "../../../../knowledge/curation/curate.ts";
import { readDecisions } from "../../../../knowledge/curation/decisions.ts";
import { type Proposal, proposalNamed, readQueue } from "../../../../knowledge/curation/queue.ts";
import { similarNodes, suggestedFolder } from "../../../../knowledge/curation/similar.ts";
import type { ServerCall, ServerContext, ServerEnv } from "../../context.ts";
import { assertDecider, isDecider } from "../../deciders.ts";
import { searchNodes } from "../../knowledge/find-nodes.ts";
import { around, graphOf } from "../../knowledge/graph.ts";
import type { KnowledgeBase } from "../../knowledge/knowledge-source.ts";
import { previewMerge, previewNew } from "../../knowledge/proposal-preview.ts";
import { basesOf, nodeNamed, seenBase } from "../../knowledge/seen-base.ts";
import { unusable } from "../../problem.ts";
import { leaveWord, type Sentences, takeWord } from "../flash.ts";
import { html } from "../markup.ts";
import { answerPage, viewerOf } from "../page-call.ts";
import { basesPage } from "./bases-page.ts";
import { graphPage } from "./graph-view.ts";
import { basePath, knowledgePage, proposalPath, type Tab } from "./knowledge-frame.ts";
import { nodePage } from "./node-page.ts";
import { nodesView } from "./nodes-page.ts";
import { proposalPage } from "./proposal-page.ts";
import { proposalsView } from "./proposals-page.ts";

const PAGE_NODES = 50;
const CHANGES = { times: 120, perMs: 60_000 };
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
    const content = proposalPage({ base, proposal, similar, into, folder, preview, left, mayDecide }, viewer);
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
    const { base, person } = await deciding(c);
    const { places } = base.curator;
    const queue = await readQueue(places);
    // What was shown is what is written: without secrets.
    const proposal = redactJson(proposalNamed(queue, c.req.param("origin")));
    const next = queue.proposals[queue.proposals.findIndex(({ origin }) => origin === proposal.origin) + 1];
    const deed = await decide(base, proposal, context.form(c));
    context.log(`${person.organisation}: ${person.id} ${deed.decision} ${deed.origin} in ${base.name}`);
    const about = deed.decision === "merged" ? (deed.nodeId ?? "") : proposal.candidate.title;
    return done(c, next ? proposalPath(base, next.origin) : `${basePath(base)}/proposals`, deed, about);
  });

  app.post("/knowledge/:base/undo", async (c) => {
    const { base, person } = await deciding(c);
    const deed = await undo(base.curator, context.form(c).origin ?? "");
    context.log(`${person.organisation}: ${person.id} took back ${deed.decision} ${deed.origin} in ${base.name}`);
    return done(c, `${basePath(base)}/proposals`, { ...deed, decision: "undone" }, deed.origin);
  });
  return app;

  async function deciding(c: ServerCall) {
    const { viewer, base } = await opened(c);
    const { person } = viewer;
    await context.limit(c, "curate", { ...CHANGES, by: person.id });
    assertDecider(person, "knowledge is decided on");
    return { base, person };
  }

  function done(c: ServerCall, path: string, deed: Omit<Deed, "decision"> & { decision: string }, about: string) {
    const isStale = deed.indexProblem !== undefined;
    if (deed.unsettled !== undefined) context.log(`the log of ${deed.origin} is settled later: ${deed.unsettled}`);
    leaveWord(context, c, isStale ? "unindexed" : deed.decision, (deed.indexProblem ?? about).slice(0, 300));
    return c.redirect(path, 303);
  }
}

function decide({ curator }: KnowledgeBase, proposal: Proposal, form: Readonly<Record<string, string>>): Promise<Deed> {
  switch (form.what) {
    case "accept":
      return accept(curator, proposal, changed(proposal.candidate, form), form.folder?.trim() ?? "");
    case "merge":
      return merge(curator, proposal, form.into ?? "");
    case "reject":
      return reject(curator, proposal);
    case "later":
      return keepForLater(curator, proposal);
    default:
      throw unusable("the form says neither accept, merge, reject nor later");
  }
}

/** As the form has it: browsers send line breaks as two characters. */
function changed(candidate: ProposedNode, form: Readonly<Record<string, string>>): ProposedNode {
  const { title, description, tags, body } = form;
  return {
    ...candidate,
    ...(title?.trim() ? { title: title.trim() } : {}),
    ...(description?.trim() ? { description: description.trim() } : {}),
    ...(tags === undefined
      ? {}
      : {
          tags: tags
            .split(",")
            .map((tag) => tag.trim())
            .filter((tag) => tag !== ""),
        }),
    ...(body?.trim() ? { body: body.replaceAll("\r\n", "\n") } : {}),
    confidence: CONFIDENCES.find((one) => one === form.confidence) ?? candidate.confidence,
  };
}

function pageNumber(text: string | undefined): number {
  if (text === undefined) return 1;
  if (!/^[1-9]\d{0,5}$/.test(text)) throw unusable(`${text} is no page`, "Begin at the first page.");
  return Number(text);
}
