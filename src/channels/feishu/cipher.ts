/** Callbacks that Feishu encrypts: base64 of an iv and AES-256-CBC under the hash of the Encrypt Key. */
import { createDecipheriv, createHash } from "node:crypto";

/** Undefined: it was not encrypted with this key. */
export function decrypted(encrypted: string, encryptKey: string): string | undefined {
  const bytes = Buffer.from(encrypted, "base64");
  try {
    const key = createHash("sha256").update(encryptKey).digest();
    const decipher = createDecipheriv("aes-256-cbc", key, bytes.subarray(0, 16));
    return Buffer.concat([decipher.update(bytes.subarray(16)), decipher.final()]).toString("utf8");
  } catch {
    return undefined;
  }
}
