/**
 * Callbacks of Feishu, in the forms of both of its callback versions. With an Encrypt Key every callback is signed with
 * it; with a Verification Token alone, new ones carry the token and old ones are signed with it.
 */
import { createHash } from "node:crypto";
import type { Callback, CallbackAnswer, Received } from "../../approvals/channel.ts";
import type { JsonObject } from "../../core/json.ts";
import { FORGED, isChallenge, isFresh, isSame, refused, STALE, UNREADABLE, WRONG_TOKEN } from "../authenticity.ts";
import { approvalIdOf, decisionOf } from "../decision.ts";
import { asObject, asText, objectIn } from "../json-text.ts";
import { decrypted } from "./cipher.ts";

export interface FeishuSecrets {
  readonly encryptKey: string | undefined;
  readonly verificationToken: string | undefined;
}

export function received(callback: Callback, secrets: FeishuSecrets, now: Date): Received {
  if (callback.method !== "POST") return refused(405, "callbacks are posted");
  const outer = objectIn(callback.body);
  if (!outer) return refused(400, UNREADABLE);
  const payload = opened(outer, secrets.encryptKey);
  if (payload?.type === "url_verification") return challenge(payload, secrets);
  // Feishu signs all but its challenge. Whoever makes up encrypted bodies is not told which of them can be read.
  if (secrets.encryptKey !== undefined && !isGenuine(callback, secrets)) return refused(401, FORGED);
  if (!payload) return refused(401, "the body is not encrypted with the channel's key");
  const isNew = payload.schema === "2.0";
  const problem = isNew ? untrustedNew(callback, payload, secrets, now) : untrustedOld(callback, secrets, now);
  if (problem) return problem;
  return clickOf(payload, isNew, callback);
}

/** With a key everything must be encrypted: a plain body would be somebody else's. */
function opened(outer: JsonObject, encryptKey: string | undefined): JsonObject | undefined {
  const { encrypt } = outer;
  if (encryptKey === undefined) return encrypt === undefined ? outer : undefined;
  if (typeof encrypt !== "string") return undefined;
  const text = decrypted(encrypt, encryptKey);
  return text === undefined ? undefined : objectIn(text);
}

function challenge(payload: JsonObject, { verificationToken }: FeishuSecrets): Received {
  if (verificationToken !== undefined && !isSame(asText(payload.token), verificationToken))
    return refused(401, WRONG_TOKEN);
  if (!isChallenge(asText(payload.challenge))) return refused(400, UNREADABLE);
  return { kind: "challenge", answer: jsonAnswer({ challenge: asText(payload.challenge) }) };
}

function untrustedNew(
  callback: Callback,
  payload: JsonObject,
  { encryptKey, verificationToken }: FeishuSecrets,
  now: Date,
): Received | undefined {
  const header = asObject(payload.header);
  if (encryptKey !== undefined && !isSigned(callback, "sha256", encryptKey)) return refused(401, FORGED);
  if (verificationToken !== undefined && !isSame(asText(header.token), verificationToken))
    return refused(401, WRONG_TOKEN);
  const seconds = encryptKey === undefined ? secondsOf(asText(header.create_time)) : timestampOf(callback);
  return isFresh(seconds, now) ? undefined : refused(401, STALE);
}

function untrustedOld(callback: Callback, secrets: FeishuSecrets, now: Date): Received | undefined {
  if (!isGenuine(callback, secrets)) return refused(401, FORGED);
  return isFresh(timestampOf(callback), now) ? undefined : refused(401, STALE);
}

const isGenuine = (callback: Callback, { encryptKey, verificationToken }: FeishuSecrets) =>
  (encryptKey !== undefined && isSigned(callback, "sha256", encryptKey)) ||
  (verificationToken !== undefined && isSigned(callback, "sha1", verificationToken));

function isSigned(callback: Callback, algorithm: "sha256" | "sha1", key: string): boolean {
  const nonce = callback.headers["x-lark-request-nonce"] ?? "";
  const wanted = createHash(algorithm)
    .update(`${timestampOf(callback)}${nonce}${key}${callback.body}`)
    .digest("hex");
  return isSame(callback.headers["x-lark-signature"] ?? "", wanted);
}

const timestampOf = ({ headers }: Callback) => headers["x-lark-request-timestamp"] ?? "";

/** `create_time` counts microseconds, in older ones milliseconds. */
const secondsOf = (createTime: string) => (/^\d{13,16}$/.test(createTime) ? createTime.slice(0, 10) : "");

function clickOf(payload: JsonObject, isNew: boolean, callback: Callback): Received {
  const source = isNew ? asObject(payload.event) : payload;
  const action = asObject(source.action);
  const value = typeof action.value === "string" ? (objectIn(action.value) ?? {}) : asObject(action.value);
  const approval = approvalIdOf(value.approval ?? value.confirmation_id);
  const decision = decisionOf(value.decision);
  const operator = asObject(source.operator);
  const user = isNew
    ? asText(operator.open_id) || asText(operator.union_id)
    : asText(payload.open_id) || asText(payload.operator_id);
  if (!approval || !decision || user === "")
    return { kind: "unknown", what: kindOf(payload), answer: toast("error", "This click was not understood.") };
  const header = asObject(payload.header);
  const nonce = asText(header.event_id) || (callback.headers["x-lark-signature"] ?? "");
  if (nonce === "") return refused(401, "it carries nothing that tells it from a copy of itself");
  return {
    kind: "click",
    click: { approval, decision, identity: `feishu:${user}`, reason: "", nonce, replyTo: null },
  };
}

const kindOf = (payload: JsonObject) => asText(asObject(payload.header).event_type) || "a callback without a type";

/** An answer without a toast shows the person an error of the platform. */
export const toast = (type: string, content: string, card?: JsonObject): CallbackAnswer =>
  jsonAnswer({ toast: { type, content }, ...(card ? { card: { type: "raw", data: card } } : {}) });

const jsonAnswer = (body: JsonObject): CallbackAnswer => ({
  status: 200,
  contentType: "application/json; charset=utf-8",
  body: JSON.stringify(body),
});
