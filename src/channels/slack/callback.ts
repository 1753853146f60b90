/** Interactivity of Slack: a form with one JSON payload, signed with the app's signing secret. */
import { createHmac } from "node:crypto";
import type { Callback, CallbackAnswer, Received } from "../../approvals/channel.ts";
import type { JsonObject } from "../../core/json.ts";
import { FORGED, isFresh, isSame, refused, STALE, UNREADABLE } from "../authenticity.ts";
import { approvalIdOf, decisionOf } from "../decision.ts";
import { asObject, asText, objectIn } from "../json-text.ts";
import { ACTIONS } from "./card.ts";

export function received(callback: Callback, signingSecret: string, teamId: string | undefined, now: Date): Received {
  if (callback.method !== "POST") return refused(405, "callbacks are posted");
  const timestamp = callback.headers["x-slack-request-timestamp"] ?? "";
  const signature = callback.headers["x-slack-signature"] ?? "";
  const wanted = createHmac("sha256", signingSecret).update(`v0:${timestamp}:${callback.body}`).digest("hex");
  if (!isSame(signature, `v0=${wanted}`)) return refused(401, FORGED);
  if (!isFresh(timestamp, now)) return refused(401, STALE);
  const payload = payloadOf(callback);
  if (!payload) return refused(400, UNREADABLE);
  if (payload.type === "url_verification")
    return { kind: "challenge", answer: { ...NOTHING_TO_SAY, body: asText(payload.challenge) } };
  if (teamId !== undefined && asText(asObject(payload.team).id) !== teamId)
    return refused(403, "it comes from another workspace");
  return clickOf(payload, signature);
}

function payloadOf({ headers, body }: Callback): JsonObject | undefined {
  const isJson = (headers["content-type"] ?? "").startsWith("application/json");
  return objectIn(isJson ? body : (new URLSearchParams(body).get("payload") ?? ""));
}

/** The signature is over the whole request and its time: only a copy has the same. */
function clickOf(payload: JsonObject, nonce: string): Received {
  const action = asObject(Array.isArray(payload.actions) ? payload.actions[0] : undefined);
  const approval = approvalIdOf(action.value);
  const decision = Object.hasOwn(ACTIONS, asText(action.action_id))
    ? ACTIONS[asText(action.action_id)]
    : decisionOf(action.action_id);
  const user = asText(asObject(payload.user).id);
  if (payload.type !== "block_actions" || !approval || !decision || user === "")
    return { kind: "unknown", what: asText(payload.type) || "a payload without a type", answer: NOTHING_TO_SAY };
  const replyTo = asText(payload.response_url);
  return {
    kind: "click",
    click: {
      approval,
      decision,
      identity: `slack:${user}`,
      reason: "",
      nonce,
      replyTo: replyTo === "" ? null : replyTo,
    },
  };
}

/** Slack wants an empty answer within three seconds; everything else goes to the response URL. */
export const NOTHING_TO_SAY: CallbackAnswer = { status: 200, contentType: "text/plain; charset=utf-8", body: "" };
