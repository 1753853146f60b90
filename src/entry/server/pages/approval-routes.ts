/** The inbox and a request's own page, and what people do there. */
import { Hono } from "hono";
import type { Approval, Person } from "../../../approvals/approval.ts";
import type { Outcome } from "../../../approvals/service.ts";
import { isOverdue } from "../../../approvals/transition.ts";
import type { ServerCall, ServerContext, ServerEnv } from "../context.ts";
import { ownPath } from "../own-path.ts";
import { countedAs } from "../principal.ts";
import { unknown, unusable } from "../problem.ts";
import { approvalCard } from "./approval-card.ts";
import { approvalPage } from "./approval-page.ts";
import { deedOf, whoAsks } from "./call-summary.ts";
import type { Viewer } from "./frame.ts";
import { inboxPage } from "./inbox-page.ts";
import type { Markup } from "./markup.ts";
import { answerPage, viewerOf } from "./page-call.ts";
import { namesOf } from "./person-name.ts";
import { said } from "./said.ts";

const MAX_CARDS = 50;
const MAX_REASON_CHARACTERS = 2_000;
const VOTES = { times: 120, perMs: 60_000 };

export function approvalRoutes(context: ServerContext): Hono<ServerEnv> {
  const app = new Hono<ServerEnv>();
  const { stores, approvals } = context;

  app.get("/inbox", async (c) => {
    const viewer = await viewerOf(context, c);
    const { organisation } = viewer.person;
    const search = c.req.query("q") ?? "";
    const cursor = c.req.query("cursor");
    const [pending, people] = await Promise.all([
      stores.list({
        organisation,
        statuses: ["pending"],
        limit: MAX_CARDS,
        ...(search === "" ? {} : { search }),
        ...(cursor === undefined ? {} : { cursor }),
      }),
      stores.people(organisation),
    ]);
    const open = await stillPending(context, pending.approvals);
    const older =
      pending.next && `/inbox?${new URLSearchParams({ ...(search && { q: search }), cursor: pending.next })}`;
    const names = namesOf(people);
    const inbox = { approvals: open, names, search, older, said: await saidTo(context, c, viewer, people) };
    const isAll = search === "" && cursor === undefined;
    const counted = isAll ? { ...viewer, pending: { count: open.length, hasMore: older !== undefined } } : viewer;
    const title = isAll && open.length > 0 ? `(${open.length}) Inbox` : "Inbox";
    return answerPage(context, c, counted, title, inboxPage(inbox, viewer, stores.now()));
  });

  app.get("/approvals/:id", async (c) => {
    const viewer = await viewerOf(context, c);
    const approval = await seenApproval(context, viewer, c.req.param("id"));
    const [history, people] = await Promise.all([
      stores.history(approval.id),
      stores.people(viewer.person.organisation),
    ]);
    const told = await saidTo(context, c, viewer, people);
    const content = approvalPage({ approval, history, people, said: told }, viewer, stores.now());
    return answerPage(context, c, viewer, `${whoAsks(approval.call)}: ${deedOf(approval.call)}`, content);
  });

  // What became of requests that are no longer among the inbox's newest.
  app.get("/inbox/cards", async (c) => {
    const viewer = await viewerOf(context, c);
    const ids = c.req.queries("id") ?? [];
    if (ids.length > MAX_CARDS) throw unusable(`more than ${MAX_CARDS} cards are asked for`);
    const found = await Promise.all(ids.map((id) => foundApproval(context, viewer, id)));
    const names = namesOf(await stores.people(viewer.person.organisation));
    const cards = found.map((approval) => approval && approvalCard(approval, viewer, names, stores.now()));
    return c.html(cards.join(""));
  });

  app.get("/approvals/:id/call.json", async (c) => {
    const viewer = await viewerOf(context, c);
    const { call, digest } = await seenApproval(context, viewer, c.req.param("id"));
    return c.body(JSON.stringify({ digest, call }, null, 2), 200, {
      "content-type": "application/json; charset=utf-8",
    });
  });

  app.post("/approvals/:id/decide", async (c) => {
    const viewer = await viewerOf(context, c);
    await context.limit(c, "decide", { ...VOTES, by: countedAs(viewer.person) });
    const { decision, reason = "", from } = context.form(c);
    if (decision !== "approve" && decision !== "deny") throw unusable("the form says neither approve nor deny");
    if (reason.length > MAX_REASON_CHARACTERS)
      throw unusable(`the reason is longer than ${MAX_REASON_CHARACTERS} characters`, "Shorten it and try again.");
    const { id } = await seenApproval(context, viewer, c.req.param("id"));
    const ballot = { person: viewer.person, isMember: true, kind: decision, reason, via: "web" } as const;
    const outcome = await approvals.vote(id, ballot);
    return c.redirect(afterwards(ownPath(from ?? "/inbox", context.publicUrl), id, outcome), 303);
  });

  app.post("/approvals/:id/delegate", async (c) => {
    const viewer = await viewerOf(context, c);
    await context.limit(c, "decide", { ...VOTES, by: countedAs(viewer.person) });
    const { id } = await seenApproval(context, viewer, c.req.param("id"));
    const to = await stores.person(viewer.person.organisation, context.form(c).to ?? "");
    if (!to) throw unusable("the person to hand it to is not known here", "Choose somebody from the list.");
    const outcome = await approvals.delegate(id, viewer.person, to);
    return c.redirect(afterwards(`/approvals/${id}`, id, outcome), 303);
  });
  return app;
}

/** Looked at before it is touched: what belongs to others is not there, and nothing of it changes by asking. */
async function foundApproval({ stores, approvals }: ServerContext, { person }: Viewer, id: string) {
  const stored = await stores.get(id);
  if (stored?.organisation !== person.organisation) return undefined;
  return (await approvals.current(id)) ?? stored;
}

async function seenApproval(context: ServerContext, viewer: Viewer, id: string): Promise<Approval> {
  const found = await foundApproval(context, viewer, id);
  if (!found) throw unknown(`approval ${id}`);
  return found;
}

/** What is overdue is expired now, whether or not the sweep has come by. */
async function stillPending({ stores, approvals }: ServerContext, listed: readonly Approval[]): Promise<Approval[]> {
  const now = stores.now();
  const current = await Promise.all(
    listed.map((approval) => (isOverdue(approval, now) ? approvals.current(approval.id) : approval)),
  );
  return current.filter((approval) => approval !== undefined).filter(({ status }) => status === "pending");
}

async function saidTo(
  { stores }: ServerContext,
  c: ServerCall,
  viewer: Viewer,
  people: readonly Person[],
): Promise<Markup | null> {
  const id = c.req.query("after");
  const approval = id === undefined ? undefined : await stores.get(id);
  if (!approval || approval.organisation !== viewer.person.organisation) return null;
  return said(approval, c.req.query("refused"), viewer, namesOf(people));
}

function afterwards(path: string, id: string, outcome: Outcome): string {
  const query = new URLSearchParams({ after: id, ...(outcome.kind === "refused" && { refused: outcome.code }) });
  return `${path.split("?")[0]}?${query}`;
}
