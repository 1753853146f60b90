/** A program of one's own: it is told of every approval and every change, and sends back what people decided. */
import { randomBytes, randomUUID } from "node:crypto";
import { type Card, shown } from "../../approvals/card.ts";
import type { Channel } from "../../approvals/channel.ts";
import type { Json, JsonObject } from "../../core/json.ts";
import { ChannelFailure } from "../failure.ts";
import { type Http, httpFor } from "../http.ts";
import type { ChannelConfig } from "../settings.ts";
import { received } from "./callback.ts";
import { NONCE_HEADER, SIGNATURE_HEADER, TIMESTAMP_HEADER, webhookSignature } from "./signing.ts";

const MAX_CALL = 200_000;

export function webhookChannel(config: ChannelConfig, channel: string, http: Http = httpFor("The webhook")): Channel {
  const { url = "", secret = "" } = config;
  const post = async (type: string, delivery: string, content: JsonObject) => {
    const body = JSON.stringify({ type, delivery, ...content });
    const timestamp = String(Math.floor(Date.now() / 1000));
    const nonce = randomBytes(16).toString("base64url");
    const { status } = await http({
      method: "POST",
      url: new URL(url),
      headers: {
        [TIMESTAMP_HEADER]: timestamp,
        [NONCE_HEADER]: nonce,
        [SIGNATURE_HEADER]: webhookSignature(secret, timestamp, nonce, body),
      },
      body,
    });
    if (status >= 200 && status < 300) return;
    const isPassing = status === 429 || status >= 500;
    throw new ChannelFailure("HF934", `The webhook answered ${type} with HTTP ${status}`, isPassing);
  };
  return {
    type: "webhook",
    async send(card, delivery) {
      await post("approval.requested", delivery, { card: cardJson(card) });
      return delivery;
    },
    async update(handle, card) {
      await post("approval.changed", randomUUID(), { card: cardJson(card) });
      return handle;
    },
    notify: ({ tone, title, lines, link }) => post("note", randomUUID(), { note: { tone, title, lines, link } }),
    async test() {
      await post("test", randomUUID(), { message: "Holdfast can reach this address." });
      return "The webhook took the message.";
    },
    receive: (callback, now) => received(callback, secret, channel, now),
    answer: ({ tone, text, card }) => ({
      status: 200,
      contentType: "application/json; charset=utf-8",
      body: JSON.stringify({ result: tone, message: text, card: card ? cardJson(card) : null }),
    }),
  };
}

/** Plain text throughout: whoever shows it escapes it for where they do. */
function cardJson(card: Card): JsonObject {
  const { text, isCut } = shown(card.call, MAX_CALL, card.link);
  const { approval, status, title, why, effects, said, isOpen, link } = card;
  const facts: Json = card.facts.map(({ label, value }) => ({ label, value }));
  const call = { text, isCut, sha256: card.call.sha256 };
  return { approval, status, title, why, facts, effects, call, said, isOpen, link };
}
