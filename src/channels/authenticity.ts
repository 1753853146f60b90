/** What every adapter asks of a callback: is it signed by who it should be, and is it of now. */
import { createHash, timingSafeEqual } from "node:crypto";
import type { Received } from "../approvals/channel.ts";

/** How far the clock of a platform may be from ours, and how old a callback may be. */
export const WINDOW_MS = 5 * 60_000;

/** Takes the same time wherever they differ, their lengths included. */
export function isSame(given: string, wanted: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(given), digest(wanted));
}

/** `seconds` as platforms write them; anything but digits is no time. */
export function isFresh(seconds: string, now: Date): boolean {
  return /^\d{9,11}$/.test(seconds) && Math.abs(now.getTime() - Number(seconds) * 1000) <= WINDOW_MS;
}

/** What platforms want to hear back. Nothing else is: a message sent again as a challenge would come back opened. */
export const isChallenge = (text: string) => /^[\w-]{1,200}$/.test(text);

export const refused = (status: number, reason: string): Received => ({ kind: "refused", status, reason });

export const FORGED = "the signature is missing or wrong";
export const STALE = "the timestamp is missing, or more than five minutes off";
export const WRONG_TOKEN = "the verification token is missing or wrong";
export const UNREADABLE = "the body cannot be read";
