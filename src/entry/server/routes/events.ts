/** What happens to approvals, as it happens. */
import { z } from "zod";
import { approvalEvents } from "../event-stream.ts";
import { route } from "../route.ts";
import { serverSentEvents } from "../server-sent-events.ts";
import { countedStream } from "../stream-count.ts";

export const eventRoutes = [
  route({
    method: "get",
    path: "/api/events",
    operation: "watchApprovals",
    summary:
      "Server-sent events: `awaiting_confirmation` for what waits for a person, `approval` for every change, `ready` once all that is pending was sent, `missed` where changes may have gone unheard: read again. With Last-Event-ID every approval that changed since is told as it stands now, or else `missed`; what comes before `ready` has no id",
    access: ["member", "agent:wait"],
    query: z.strictObject({ session: z.string().max(500).optional(), agent: z.string().max(200).optional() }),
    answer: ["text/event-stream"],
    handle: async ({ c, context, principal, organisation, query }) => {
      const own = principal.kind === "agent" ? principal : null;
      const agent = own?.agent ?? query.agent;
      const initiator = own && !own.namesInitiator ? own.initiator : undefined;
      const lastEventId = c.req.header("last-event-id");
      const reader = { organisation, agent, initiator, session: query.session, lastEventId };
      return serverSentEvents(
        context,
        { isStillSignedIn: c.get("isStillSignedIn"), gone: c.req.raw.signal, onEnd: countedStream(principal) },
        approvalEvents(context, reader),
      );
    },
  }),
];
