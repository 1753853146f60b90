/** What was: history, sessions, and how the hooks are doing. */
import { Hono } from "hono";
import { STATUSES } from "../../../approvals/approval.ts";
import type { ServerContext, ServerEnv } from "../context.ts";
import { healthPage, RANGES, type Range } from "./health-page.ts";
import { historyPage } from "./history-page.ts";
import { answerPage, viewerOf } from "./page-call.ts";
import { namesOf } from "./person-name.ts";
import { sessionPage } from "./session-page.ts";

const PAGE_ROWS = 50;
const SESSION_ROWS = 200;
const SESSION_APPROVALS = 200;
const RECENT_ROWS = 500;

export function recordRoutes(context: ServerContext): Hono<ServerEnv> {
  const app = new Hono<ServerEnv>();
  const { stores } = context;

  app.get("/history", async (c) => {
    const viewer = await viewerOf(context, c);
    const { organisation } = viewer.person;
    const { q: search = "", tool = "", agent = "", cursor, ...query } = c.req.query();
    const status = STATUSES.find((name) => name === query.status) ?? "";
    const [past, people] = await Promise.all([
      stores.list({
        organisation,
        limit: PAGE_ROWS,
        ...(status && { statuses: [status] }),
        ...(search && { search }),
        ...(tool && { tool }),
        ...(agent && { agent }),
        ...(cursor && { cursor }),
      }),
      stores.people(organisation),
    ]);
    const { approvals, next } = past;
    const filter = { search, status, tool, agent } as const;
    const isLater = cursor !== undefined;
    return answerPage(
      context,
      c,
      viewer,
      "History",
      historyPage({ approvals, names: namesOf(people), filter, next, isLater }),
    );
  });

  app.get("/sessions/:id", async (c) => {
    const viewer = await viewerOf(context, c);
    const { organisation } = viewer.person;
    const session = c.req.param("id");
    const { cursor, before } = c.req.query();
    const [{ rows, next }, { approvals }, people] = await Promise.all([
      stores.audit({ organisation, session, limit: SESSION_ROWS, ...(cursor && { cursor }) }),
      stores.list({ organisation, session, limit: SESSION_APPROVALS }),
      stores.people(organisation),
    ]);
    const since = next === undefined ? "" : (rows.at(-1)?.at ?? "");
    const shown = approvals.filter(({ requestedAt }) => requestedAt >= since && (!before || requestedAt < before));
    const earlier =
      next && `/sessions/${encodeURIComponent(session)}?${new URLSearchParams({ cursor: next, before: since })}`;
    const content = sessionPage({ session, approvals: shown, rows, names: namesOf(people), earlier });
    return answerPage(context, c, viewer, `Session ${session}`, content);
  });

  app.get("/health", async (c) => {
    const viewer = await viewerOf(context, c);
    const { organisation } = viewer.person;
    const range = (Object.keys(RANGES) as Range[]).find((name) => name === c.req.query("range")) ?? "day";
    const { ms, bucketMs } = RANGES[range];
    const to = stores.now();
    // Whole buckets only: the first bar is as long as the others.
    const from = new Date(Math.floor((to.getTime() - ms) / bucketMs + 1) * bucketMs);
    const [buckets, { rows }] = await Promise.all([
      stores.auditBuckets(organisation, from, to, bucketMs),
      stores.audit({ organisation, limit: RECENT_ROWS }),
    ]);
    return answerPage(context, c, viewer, "Health", healthPage({ range, from, to, buckets, recent: rows }));
  });
  return app;
}
