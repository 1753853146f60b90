/** Slack: an app's bot asks in a channel, with messages that are updated in place. */
import type { Channel, Click, ClickResult } from "../../approvals/channel.ts";
import { ChannelFailure } from "../failure.ts";
import { type Http, httpFor } from "../http.ts";
import { asObject, asText, objectIn } from "../json-text.ts";
import { pagesOf } from "../rooms.ts";
import type { ChannelConfig } from "../settings.ts";
import { slackApi } from "./api.ts";
import { NOTHING_TO_SAY, received } from "./callback.ts";
import { escaped, type SlackMessage, slackCard, slackNote } from "./card.ts";

export function slackChannel(config: ChannelConfig, http: Http = httpFor("Slack")): Channel {
  const { bot_token = "", signing_secret = "", channel = "", team_id, base_url = "" } = config;
  const api = slackApi(http, base_url, bot_token);
  const post = ({ text, blocks }: SlackMessage) =>
    api("chat.postMessage", { channel, text, blocks, parse: "none", unfurl_links: false, unfurl_media: false });
  return {
    type: "slack",
    async send(card) {
      const answer = await post(slackCard(card));
      return JSON.stringify({ channel: asText(answer.channel) || channel, ts: asText(answer.ts) });
    },
    async update(handle, card) {
      const { text, blocks } = slackCard(card);
      await api("chat.update", { ...objectIn(handle), text, blocks, parse: "none" });
      return handle;
    },
    async notify(note) {
      await post(slackNote(note));
    },
    async test() {
      const { team, user } = await api("auth.test", {});
      await api("chat.postMessage", {
        channel,
        text: "Holdfast can write to this channel. Approvals will be asked for here.",
      });
      return `The message is in the channel, written by ${asText(user)} of ${asText(team)}.`;
    },
    rooms: () =>
      pagesOf(async (cursor) => {
        const wanted = { types: "public_channel,private_channel", exclude_archived: true, limit: 200, cursor };
        const { channels, response_metadata } = await api("conversations.list", wanted, "form");
        return { items: channels, next: asText(asObject(response_metadata).next_cursor), id: "id" };
      }),
    receive: (callback, now) => received(callback, signing_secret, team_id, now),
    answer: () => NOTHING_TO_SAY,
    followUp: (click, result) => responded(http, base_url, click, result),
  };
}

/** The card itself where the click changed it; else a word that only the person who clicked sees. */
async function responded(http: Http, baseUrl: string, { replyTo }: Click, { tone, text, card }: ClickResult) {
  if (replyTo === null || !URL.canParse(replyTo)) return;
  const url = new URL(replyTo);
  const isSlacks = url.origin === new URL(baseUrl).origin || url.origin === "https://hooks.slack.com";
  if (!isSlacks) throw new ChannelFailure("HF934", "a click names a response URL that is not Slack's", false);
  const post = async (body: object) => {
    const { status } = await http({ method: "POST", url, body: JSON.stringify(body) });
    if (status >= 400) throw new ChannelFailure("HF934", `Slack refused a response with HTTP ${status}`, false);
  };
  if (card) await post({ replace_original: true, ...slackCard(card) });
  if (tone !== "success") await post({ response_type: "ephemeral", replace_original: false, text: escaped(text) });
}
