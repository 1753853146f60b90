/** Agents tell of their runs; people read it in a channel. */
import { z } from "zod";
import { chooseChannel, isMeant } from "../../../approvals/choose-channel.ts";
import { runNotifier } from "../../../channels/notifications.ts";
import { Problem, unknown } from "../problem.ts";
import { route } from "../route.ts";
import { channelAccess } from "./channels.ts";

const text = z.string().max(20_000);

const LIMIT = { times: 120, perMs: 60_000 };

export const notificationRoutes = [
  route({
    method: "post",
    path: "/api/notifications",
    operation: "tellOfRun",
    summary: "Tells people that a run has ended or needs somebody: once for each, and without waiting for it",
    access: ["agent:ingest"],
    body: z.strictObject({
      run: z.string().min(1).max(200),
      kind: z.enum(["finished", "failed", "needs-someone"]),
      agent: z.string().min(1).max(200),
      durationMs: z.number().min(0),
      tools: z.array(z.string().max(200)).max(1_000),
      asked: text,
      answer: text,
      channel: z.string().max(200).nullable().describe("id, name or type:name; null: the oldest of the organisation"),
    }),
    answer: null,
    refusals: [404, 409],
    limit: LIMIT,
    handle: async ({ context, organisation, body }) => {
      const { open } = channelAccess(context);
      const own = (await context.stores.channels(organisation)).filter(({ isActive }) => isActive);
      const { channel: wish } = body;
      const named = wish === null ? undefined : own.find((channel) => isMeant(channel, wish));
      if (wish !== null && !named) throw unknown(`active channel ${wish}`);
      const channel = named ?? chooseChannel(organisation, own, { explicit: null, completion: null });
      if (!channel) throw new Problem(409, "HF936", "the organisation has no channel to tell people in");
      const onProblem = (run: string, problem: string) => context.log(`run ${run}: ${problem}`);
      const news = { ...body, organisation, channel: channel.id, link: null };
      runNotifier({ stores: context.stores, channels: open, onProblem }).tell(news);
    },
  }),
];
