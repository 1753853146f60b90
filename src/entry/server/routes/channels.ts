/** Channels of the organisation: admins make and change them, members see them without their secrets and try them out. */
import { z } from "zod";
import type { StoredChannel } from "../../../approvals/store.ts";
import { changedChannel, newChannel, shownChannel } from "../../../channels/administration.ts";
import { openConfig } from "../../../channels/credentials.ts";
import { mergeConfig } from "../../../channels/masking.ts";
import { tryOut } from "../../../channels/playground.ts";
import type { ChannelAccess, ServerContext } from "../context.ts";
import { Problem, unknown } from "../problem.ts";
import { route } from "../route.ts";
import { approval } from "../schemas.ts";
import { personOf } from "./person-of.ts";

const name = z.string().min(1).max(200);
const value = z.string().max(4000);
const config = z.record(z.string().max(100), value);
const change = z
  .record(z.string().max(100), value.nullable())
  .describe("merged: what is not named stays, a mask stays what it hides, null takes a setting away");

const channel = z
  .strictObject({
    id: z.string(),
    organisation: z.string(),
    type: z.string(),
    name: z.string(),
    isActive: z.boolean(),
    config: config.describe("secrets are masked"),
    problem: z.string().nullable().describe("why its settings cannot be shown"),
    createdAt: z.string(),
    updatedAt: z.string(),
  })
  .meta({ id: "Channel" });

const TRIES = { times: 20, perMs: 60_000 };
/** Of a change beside others' changes. Somebody who is never the first is told, and does not wait for ever. */
const MOST_ATTEMPTS = 20;

export const channelRoutes = [
  route({
    method: "get",
    path: "/api/channels",
    operation: "listChannels",
    summary: "The channels of the organisation, secrets masked",
    access: ["member"],
    answer: z.strictObject({ channels: z.array(channel) }),
    handle: async ({ context, organisation }) => {
      const { keyring } = channelAccess(context);
      const stored = await context.stores.channels(organisation);
      return { channels: stored.map((known) => shownChannel(known, keyring)) };
    },
  }),
  route({
    method: "post",
    path: "/api/channels",
    operation: "createChannel",
    summary: "Makes a channel; its settings are sealed before they are stored",
    access: ["admin"],
    body: z.strictObject({ type: name, name, config }),
    answer: channel,
    handle: async ({ context, organisation, body, write }) => {
      const { keyring, open } = channelAccess(context);
      const made = newChannel({ organisation, ...body }, keyring, context.stores.now());
      open.adapter(made, body.config);
      await write().putChannel(made);
      return shownChannel(made, keyring);
    },
  }),
  route({
    method: "get",
    path: "/api/channels/:id",
    operation: "getChannel",
    summary: "One channel, secrets masked",
    access: ["member"],
    answer: channel,
    refusals: [404],
    handle: async ({ context, organisation, params }) =>
      shownChannel(await ownChannel(context, organisation, params.id), channelAccess(context).keyring),
  }),
  route({
    method: "patch",
    path: "/api/channels/:id",
    operation: "changeChannel",
    summary: "Changes a channel; settings that are not named stay",
    access: ["admin"],
    body: z.strictObject({ name: name.optional(), isActive: z.boolean().optional(), config: change.optional() }),
    answer: channel,
    refusals: [404, 409],
    handle: async ({ context, organisation, params, body, write }) => {
      const { keyring, open } = channelAccess(context);
      const wanted = {
        ...(body.name === undefined ? {} : { name: body.name }),
        ...(body.isActive === undefined ? {} : { isActive: body.isActive }),
        ...(body.config === undefined ? {} : { config: body.config }),
      };
      // Made anew from whatever somebody else stored meanwhile: their fields stay, and what was removed stays removed.
      for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
        const stored = await ownChannel(context, organisation, params.id);
        const changed = changedChannel(stored, wanted, keyring, context.stores.now());
        if (body.config !== undefined) open.adapter(changed, openConfig(changed.sealedConfig, changed, keyring));
        if (await write().changeChannel(changed, stored)) return shownChannel(changed, keyring);
      }
      throw new Problem(409, "HF915", `the channel ${params.id} was changed by others all the while`, {
        fix: "Look at it again, and change it then.",
      });
    },
  }),
  route({
    method: "delete",
    path: "/api/channels/:id",
    operation: "removeChannel",
    summary: "Removes a channel; approvals that were asked in it stay, with their history",
    access: ["admin"],
    answer: null,
    refusals: [404],
    handle: async ({ context, organisation, params, write }) => {
      const { id } = await ownChannel(context, organisation, params.id);
      await write().removeChannel(id);
    },
  }),
  route({
    method: "post",
    path: "/api/channels/:id/test",
    operation: "testChannel",
    summary: "Sends a plain message without buttons",
    access: ["member"],
    answer: z.strictObject({ message: z.string() }),
    refusals: [404, 409, 502],
    limit: TRIES,
    handle: async ({ context, organisation, params }) => {
      const { id } = await ownChannel(context, organisation, params.id);
      const opened = await channelAccess(context).open.openFor(organisation, id);
      return { message: await opened.channel.test() };
    },
  }),
  route({
    method: "post",
    path: "/api/channels/:id/test-approval",
    operation: "testChannelApproval",
    summary: "Asks a real approval about nothing in the channel, and answers once its card is there",
    access: ["member"],
    answer: approval,
    refusals: [404, 409, 502],
    limit: TRIES,
    handle: async ({ context, organisation, params, principal }) => {
      const person = personOf(principal);
      const { id } = await ownChannel(context, organisation, params.id);
      const { open } = channelAccess(context);
      return tryOut({ approvals: context.approvals, channels: open }, person, id);
    },
  }),
  route({
    method: "post",
    path: "/api/channels/discover-chats",
    operation: "discoverChats",
    summary: "The rooms that settings, new or of a channel that is there, can write to",
    access: ["admin"],
    body: z.strictObject({
      type: name,
      config: change,
      channel: name.optional().describe("the channel that is edited: masks stand for its secrets"),
    }),
    answer: z.strictObject({ chats: z.array(z.strictObject({ id: z.string(), name: z.string() })) }),
    refusals: [404, 409, 502],
    limit: TRIES,
    handle: async ({ context, organisation, body }) => {
      const { keyring, open } = channelAccess(context);
      const stored = body.channel === undefined ? undefined : await ownChannel(context, organisation, body.channel);
      const known = stored ? openConfig(stored.sealedConfig, stored, keyring) : {};
      // A room is what is looked for: until it is known, any text will do.
      const wanted = { ...PLACEHOLDERS[body.type], ...mergeConfig(body.type, known, body.config) };
      const { rooms } = open.adapter({ type: body.type, organisation, id: stored?.id ?? "new" }, wanted);
      if (!rooms) throw new Problem(400, "HF914", `a channel of type ${body.type} has no rooms to choose from`);
      return { chats: (await rooms()).map(({ id, name }) => ({ id, name })) };
    },
  }),
];

const PLACEHOLDERS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  feishu: { chat_id: "oc_unknown", verification_token: "unknown" },
  slack: { channel: "C0UNKNOWN" },
};

export function channelAccess({ channels }: ServerContext): ChannelAccess {
  if (!channels) throw new Problem(503, "HF931", "this server was started without a key for the secrets of channels");
  return channels;
}

async function ownChannel({ stores }: ServerContext, organisation: string, id: string): Promise<StoredChannel> {
  const stored = await stores.channel(id);
  if (!stored || stored.organisation !== organisation) throw unknown(`channel ${id}`);
  return stored;
}
