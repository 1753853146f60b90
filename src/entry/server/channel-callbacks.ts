/** Where platforms call back. Nobody is signed in there: what a callback may do, its signature and its channel decide. */
import { Hono } from "hono";
import { callbackHandler, MAX_CALLBACK_BYTES } from "../../channels/routes.ts";
import type { ChannelAccess, ServerContext, ServerEnv } from "./context.ts";
import { unknown } from "./problem.ts";
import { readBytes } from "./request-body.ts";

/** Of one address to one channel: far more than people click, far fewer than it takes to guess. */
const CALLBACKS = { times: 600, perMs: 60_000 };

export function channelCallbacks(context: ServerContext, { open }: ChannelAccess): Hono<ServerEnv> {
  const { stores, approvals } = context;
  const handle = callbackHandler({
    stores,
    approvals,
    channels: open,
    linkTo: (approval) => linkTo(context, approval),
    onProblem: (channel, problem) => context.log(`channel ${channel}: ${problem}`),
  });
  const routes = new Hono<ServerEnv>();
  routes.on(["GET", "POST"], "/api/channels/:id/callback", async (c) => {
    const channel = c.req.param("id");
    // Counted by channels that are there: names that callers make up would each be a count of its own, and a row.
    const isKnown = isChannelId(channel) && (await stores.channel(channel)) !== undefined;
    await context.limit(c, isKnown ? `callback:${channel}` : "callback", CALLBACKS);
    if (!isKnown) throw unknown("such channel");
    const bytes = await readBytes(c, MAX_CALLBACK_BYTES);
    const answer = await handle({
      channel,
      method: c.req.method,
      headers: c.req.header(),
      query: c.req.query(),
      body: Buffer.from(bytes).toString("utf8"),
    });
    return new Response(answer.body, { status: answer.status, headers: { "content-type": answer.contentType } });
  });
  return routes;
}

/** Not every text can be asked a database for. */
const isChannelId = (text: string) => /^[\w-]{1,100}$/.test(text);

export const linkTo = ({ publicUrl }: ServerContext, approval: string) =>
  `${publicUrl}/approvals/${encodeURIComponent(approval)}`;
