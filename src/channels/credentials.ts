/** Settings of a channel at rest: sealed for that one channel, with a key that is not in the store. */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";
import { HoldfastError } from "../core/errors.ts";
import { isJsonObject } from "../core/json.ts";
import type { ChannelConfig } from "./settings.ts";

/** The first seals; every one may open. */
export type Keyring = readonly [SealingKey, ...SealingKey[]];

export interface SealingKey {
  /** Says which key sealed a text, and nothing of the key. */
  readonly id: string;
  readonly key: Buffer;
}

/** What the sealed text belongs to: moved to another channel it does not open. */
export interface Owner {
  readonly id: string;
  readonly organisation: string;
  readonly type: string;
}

const MIN_SECRET_LENGTH = 32;

export function sealingKey(secret: string): SealingKey {
  if (secret.length < MIN_SECRET_LENGTH)
    throw new HoldfastError("HF931", `a secret key of ${secret.length} characters is too short`);
  const derived = (purpose: string, length: number) =>
    Buffer.from(hkdfSync("sha256", secret, "holdfast", `channel credentials: ${purpose}`, length));
  return { id: derived("id", 6).toString("hex"), key: derived("key", 32) };
}

const CIPHER = "aes-256-gcm";
const FORMAT = "hf1";

export function sealConfig(config: ChannelConfig, owner: Owner, [{ id, key }]: Keyring): string {
  const iv = randomBytes(12);
  const cipher = createCipheriv(CIPHER, key, iv).setAAD(bound(owner));
  const sealed = Buffer.concat([cipher.update(JSON.stringify(config), "utf8"), cipher.final()]);
  return [FORMAT, id, Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString("base64url")].join(":");
}

export function openConfig(sealed: string, owner: Owner, keyring: Keyring): ChannelConfig {
  const [format, keyId, text, ...rest] = sealed.split(":");
  if (format !== FORMAT || keyId === undefined || text === undefined || rest.length > 0)
    throw unopened(owner, "are not in a form we know");
  const found = keyring.find(({ id }) => id === keyId);
  if (!found) throw unopened(owner, `were sealed with key ${keyId}, which is not here`);
  const bytes = Buffer.from(text, "base64url");
  let opened: unknown;
  try {
    const decipher = createDecipheriv(CIPHER, found.key, bytes.subarray(0, 12), { authTagLength: 16 });
    decipher.setAAD(bound(owner)).setAuthTag(bytes.subarray(12, 28));
    opened = JSON.parse(Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString("utf8"));
  } catch {
    throw unopened(owner, "were changed, or belong to another channel");
  }
  if (!isJsonObject(opened)) throw unopened(owner, "are not settings");
  return opened as ChannelConfig;
}

const bound = ({ id, organisation, type }: Owner) => Buffer.from(JSON.stringify([id, organisation, type]));

const unopened = ({ id }: Owner, why: string) => new HoldfastError("HF932", `the credentials of channel ${id} ${why}`);
