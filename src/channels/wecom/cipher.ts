/**
 * Callbacks that WeCom encrypts: AES-256-CBC, the iv being the key's first half, padded to 32 bytes; inside are 16 random
 * bytes, the length, the message, and whom it is for.
 */
import { createDecipheriv, createHash } from "node:crypto";

const BLOCK = 32;

export const aesKeyOf = (encodingAesKey: string) => Buffer.from(`${encodingAesKey}=`, "base64");

export function signatureOf(token: string, timestamp: string, nonce: string, encrypted: string): string {
  const sorted = [token, timestamp, nonce, encrypted].sort();
  return createHash("sha1").update(sorted.join("")).digest("hex");
}

/** Undefined: not encrypted with this key, or not for this receiver. */
export function decrypted(encrypted: string, key: Buffer, receiver: string): string | undefined {
  const bytes = Buffer.from(encrypted, "base64");
  if (bytes.length === 0 || bytes.length % 16 !== 0) return undefined;
  const decipher = createDecipheriv("aes-256-cbc", key, key.subarray(0, 16)).setAutoPadding(false);
  const padded = Buffer.concat([decipher.update(bytes), decipher.final()]);
  const padding = padded.at(-1) ?? 0;
  if (padding < 1 || padding > BLOCK || !padded.subarray(-padding).every((byte) => byte === padding)) return undefined;
  const plain = padded.subarray(0, -padding);
  if (plain.length < 20) return undefined;
  const end = 20 + plain.readUInt32BE(16);
  if (end > plain.length || plain.subarray(end).toString("utf8") !== receiver) return undefined;
  return plain.subarray(20, end).toString("utf8");
}
