/** Secrets that the server hands out. It keeps only their hashes: whoever reads the store cannot use one. */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

/** 256 bits, in characters that go into a URL, a cookie and a header as they are. */
export const newSecret = (): string => randomBytes(32).toString("base64url");

/** Enough for what has 256 random bits: there is nothing to guess that stretching would slow down. */
export const hashOf = (secret: string): string => createHash("sha256").update(secret).digest("base64url");

/** Takes the same time wherever the two differ. */
export const isSame = (left: string, right: string): boolean =>
  timingSafeEqual(createHash("sha256").update(left).digest(), createHash("sha256").update(right).digest());
