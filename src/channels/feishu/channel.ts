/** Feishu and Lark: an app's bot asks in a group, with cards that are updated in place. */
import type { Channel } from "../../approvals/channel.ts";
import type { JsonObject } from "../../core/json.ts";
import { type Http, httpFor } from "../http.ts";
import { asText } from "../json-text.ts";
import { pagesOf } from "../rooms.ts";
import type { ChannelConfig } from "../settings.ts";
import { feishuApi } from "./api.ts";
import { received, toast } from "./callback.ts";
import { feishuCard, feishuNote } from "./card.ts";

export function feishuChannel(config: ChannelConfig, http: Http = httpFor("Feishu")): Channel {
  const { app_id = "", app_secret = "", chat_id = "", base_url = "", encrypt_key, verification_token } = config;
  const api = feishuApi(http, base_url, app_id, app_secret);
  const post = async (type: "text" | "interactive", content: JsonObject, uuid?: string) => {
    const body = { receive_id: chat_id, msg_type: type, content: JSON.stringify(content), ...(uuid ? { uuid } : {}) };
    const data = await api.post("/open-apis/im/v1/messages?receive_id_type=chat_id", body);
    return asText(data.message_id);
  };
  return {
    type: "feishu",
    // The platform sends no message with the same uuid twice within an hour.
    send: (card, delivery) => post("interactive", feishuCard(card), delivery.slice(0, 50)),
    async update(handle, card) {
      await api.patch(`/open-apis/im/v1/messages/${encodeURIComponent(handle)}`, {
        content: JSON.stringify(feishuCard(card)),
      });
      return handle;
    },
    async notify(note) {
      await post("interactive", feishuNote(note));
    },
    async test() {
      await post("text", { text: "Holdfast can write to this chat. Approvals will be asked for here." });
      return "The message is in the chat.";
    },
    rooms: () =>
      pagesOf(async (page) => {
        const query = new URLSearchParams({ page_size: "100", ...(page ? { page_token: page } : {}) });
        const { items, has_more, page_token } = await api.get(`/open-apis/im/v1/chats?${query}`);
        return { items, next: has_more === true ? asText(page_token) : "", id: "chat_id" };
      }),
    receive: (callback, now) =>
      received(callback, { encryptKey: encrypt_key, verificationToken: verification_token }, now),
    answer: ({ tone, text, card }) => toast(tone, text, card ? feishuCard(card) : undefined),
  };
}
