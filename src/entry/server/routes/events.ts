/** What happens to approvals, as it happens. */
import { z } from "zod";
import { eventStream } from "../event-stream.ts";
import type { Principal } from "../principal.ts";
import { Problem } from "../problem.ts";
import { route } from "../route.ts";

/** Of one person or token: every tab has one, and a program that leaks them does not use up the server. */
const MAX_STREAMS = 32;
const open = new Map<string, number>();

export const eventRoutes = [
  route({
    method: "get",
    path: "/api/events",
    operation: "watchApprovals",
    summary:
      "Server-sent events: `awaiting_confirmation` for what waits for a person, `approval` for every change, `ready` once all that is pending was sent. Resumes after Last-Event-ID",
    access: ["member", "agent:wait"],
    query: z.strictObject({ session: z.string().max(500).optional(), agent: z.string().max(200).optional() }),
    answer: ["text/event-stream"],
    handle: async ({ c, context, principal, organisation, query }) => {
      const whose = keyOf(principal);
      const count = open.get(whose) ?? 0;
      if (count >= MAX_STREAMS)
        throw new Problem(429, "HF916", `there are ${count} streams open already`, { headers: { "retry-after": "5" } });
      const { signal } = c.req.raw;
      const agent = principal.kind === "agent" ? (principal.agent ?? query.agent) : query.agent;
      const lastEventId = c.req.header("last-event-id");
      const isStillSignedIn = c.get("isStillSignedIn");
      const reader = { organisation, agent, session: query.session, lastEventId, isStillSignedIn };
      open.set(whose, count + 1);
      const stream = eventStream(context, reader, signal, () => {
        const left = (open.get(whose) ?? 1) - 1;
        if (left > 0) open.set(whose, left);
        else open.delete(whose);
      });
      return new Response(stream, {
        headers: { "content-type": "text/event-stream; charset=utf-8", "x-accel-buffering": "no" },
      });
    },
  }),
];

const keyOf = (principal: Principal) =>
  principal.kind === "agent"
    ? `token:${principal.token}`
    : JSON.stringify([principal.organisation, principal.person.id]);
