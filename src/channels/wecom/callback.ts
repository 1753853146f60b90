/** Callbacks of WeCom: the check of the URL, and clicks on template cards. All are signed and encrypted. */
import type { Callback, CallbackAnswer, Received } from "../../approvals/channel.ts";
import { FORGED, isChallenge, isFresh, isSame, refused, STALE, UNREADABLE } from "../authenticity.ts";
import { approvalIdOf, decisionOf } from "../decision.ts";
import { aesKeyOf, decrypted, signatureOf } from "./cipher.ts";
import { type XmlFields, xmlFields } from "./xml.ts";

export interface WecomSecrets {
  readonly corpId: string;
  readonly agentId: string;
  readonly token: string;
  readonly aesKey: string;
}

export function received(callback: Callback, secrets: WecomSecrets, now: Date): Received {
  const { method, query, body } = callback;
  if (method !== "GET" && method !== "POST") return refused(405, "callbacks are posted");
  const encrypted = method === "GET" ? query.echostr : xmlFields(body)?.get("Encrypt");
  if (encrypted === undefined) return refused(400, UNREADABLE);
  const { msg_signature = "", timestamp = "", nonce = "" } = query;
  if (!isSame(msg_signature, signatureOf(secrets.token, timestamp, nonce, encrypted))) return refused(401, FORGED);
  if (!isFresh(timestamp, now)) return refused(401, STALE);
  const message = decrypted(encrypted, aesKeyOf(secrets.aesKey), secrets.corpId);
  if (message === undefined)
    return refused(401, "the body is not encrypted with the channel's key, or not for this corporation");
  if (method === "GET") {
    if (!isChallenge(message)) return refused(400, UNREADABLE);
    return { kind: "challenge", answer: { ...NOTHING_TO_SAY, body: message } };
  }
  const fields = xmlFields(message);
  if (!fields) return refused(400, UNREADABLE);
  // The signed text has no separators: only the time inside cannot be shifted into another field.
  if (!isFresh(fields.get("CreateTime") ?? "", now)) return refused(401, STALE);
  return clickOf(fields, secrets, msg_signature);
}

function clickOf(fields: XmlFields, { corpId, agentId }: WecomSecrets, nonce: string): Received {
  const [word, id] = (fields.get("EventKey") ?? "").split(":");
  const approval = approvalIdOf(id);
  const decision = decisionOf(word);
  const user = fields.get("FromUserName") ?? "";
  if (fields.get("Event") !== "template_card_event" || !approval || !decision || user === "")
    return { kind: "unknown", what: fields.get("Event") ?? "a message", answer: NOTHING_TO_SAY };
  const agent = fields.get("AgentID");
  if (agent !== undefined && agent !== agentId) return refused(403, "it comes from another app");
  const replyTo = JSON.stringify({ user, code: fields.get("ResponseCode") ?? "" });
  return {
    kind: "click",
    click: { approval, decision, identity: `wecom:${corpId}/${user}`, reason: "", nonce, replyTo },
  };
}

/** An empty answer leaves the card as it is; it is updated by a call of ours. */
export const NOTHING_TO_SAY: CallbackAnswer = { status: 200, contentType: "text/plain; charset=utf-8", body: "" };
