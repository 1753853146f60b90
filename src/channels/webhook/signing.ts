/** How both sides of a webhook sign: HMAC-SHA256 over the time, a nonce and the body. */
import { createHmac } from "node:crypto";

export const TIMESTAMP_HEADER = "x-holdfast-timestamp";
export const NONCE_HEADER = "x-holdfast-nonce";
export const SIGNATURE_HEADER = "x-holdfast-signature";

export const webhookSignature = (secret: string, timestamp: string, nonce: string, body: string) =>
  `v1=${createHmac("sha256", secret).update(`${timestamp}.${nonce}.${body}`).digest("hex")}`;

/** Neither holds a dot: what is signed can be read in one way only. */
export const isNonce = (nonce: string) => /^[A-Za-z0-9_-]{16,128}$/.test(nonce);
