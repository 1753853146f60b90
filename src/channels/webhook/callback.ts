/** Callbacks of a program of one's own, signed as our requests to it are. */
import type { Callback, Received } from "../../approvals/channel.ts";
import { FORGED, isFresh, isSame, refused, STALE, UNREADABLE } from "../authenticity.ts";
import { approvalIdOf, decisionOf } from "../decision.ts";
import { asText, objectIn } from "../json-text.ts";
import { isNonce, NONCE_HEADER, SIGNATURE_HEADER, TIMESTAMP_HEADER, webhookSignature } from "./signing.ts";

const MAX_REASON = 2_000;
const MAX_USER = 200;

export function received({ method, headers, body }: Callback, secret: string, channel: string, now: Date): Received {
  if (method !== "POST") return refused(405, "callbacks are posted");
  const timestamp = headers[TIMESTAMP_HEADER] ?? "";
  const nonce = headers[NONCE_HEADER] ?? "";
  if (!isNonce(nonce)) return refused(401, "the nonce is missing, or not 16 to 128 letters, digits, _ and -");
  if (!isSame(headers[SIGNATURE_HEADER] ?? "", webhookSignature(secret, timestamp, nonce, body)))
    return refused(401, FORGED);
  if (!isFresh(timestamp, now)) return refused(401, STALE);
  const said = objectIn(body);
  if (!said) return refused(400, UNREADABLE);
  const approval = approvalIdOf(said.approval);
  const decision = decisionOf(said.decision);
  const user = asText(said.user).slice(0, MAX_USER);
  if (!approval || !decision || user === "") {
    const why = { result: "error", message: "A callback has approval, decision (approve or deny) and user." };
    const answer = { status: 400, contentType: "application/json; charset=utf-8", body: JSON.stringify(why) };
    return { kind: "unknown", what: "a callback without approval, decision or user", answer };
  }
  const reason = asText(said.reason).slice(0, MAX_REASON);
  return {
    kind: "click",
    click: { approval, decision, identity: `webhook:${channel}/${user}`, reason, nonce, replyTo: null },
  };
}
