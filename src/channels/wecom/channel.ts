/**
 * WeCom: an app asks its receivers with template cards. A card can be updated once for each code that sending it or a
 * click gave us, so it is kept for the end: what changes before is told by the inbox.
 */
import type { Channel } from "../../approvals/channel.ts";
import type { JsonObject } from "../../core/json.ts";
import { type Http, httpFor } from "../http.ts";
import { asText, objectIn } from "../json-text.ts";
import type { ChannelConfig } from "../settings.ts";
import { wecomApi } from "./api.ts";
import { NOTHING_TO_SAY, received } from "./callback.ts";
import { noteText, settledCard, wecomCard, wecomText } from "./card.ts";

export function wecomChannel(config: ChannelConfig, http: Http = httpFor("WeCom")): Channel {
  const { corp_id = "", secret = "", agent_id = "", to = "", token = "", aes_key = "", base_url = "" } = config;
  const api = wecomApi(http, base_url, corp_id, secret);
  const agentid = Number(agent_id);
  const send = (touser: string, type: string, content: JsonObject) =>
    api("/cgi-bin/message/send", { touser, agentid, msgtype: type, [type]: content, enable_duplicate_check: 0 });
  const update = (response_code: string, card: JsonObject) =>
    api("/cgi-bin/message/update_template_card", { agentid, atall: 1, response_code, template_card: card });
  return {
    type: "wecom",
    async send(card) {
      return asText((await send(to, "template_card", wecomCard(card))).response_code);
    },
    async update(handle, card) {
      if (card.isOpen || handle === "") return handle;
      await update(handle, settledCard(card));
      return "";
    },
    async notify(note) {
      await send(to, "text", { content: noteText(note) });
    },
    async test() {
      await send(to, "text", { content: "Holdfast can write to you. Approvals will be asked for here." });
      return "The message went to the receivers.";
    },
    receive: (callback, now) => received(callback, { corpId: corp_id, agentId: agent_id, token, aesKey: aes_key }, now),
    answer: () => NOTHING_TO_SAY,
    async followUp({ replyTo }, { tone, text, card }) {
      const { user, code } = objectIn(replyTo ?? "") ?? {};
      if (card && !card.isOpen && asText(code) !== "") await update(asText(code), settledCard(card));
      if (tone !== "success") await send(asText(user), "text", { content: wecomText([text]) });
    },
  };
}
