/** What is known of cards that were sent, among all servers: where each is, what it shows, and who is at it. */
import { createHash } from "node:crypto";
import type { Approval } from "../approvals/approval.ts";
import type { Card } from "../approvals/card.ts";
import type { KeptStore } from "../approvals/store.ts";
import { APPROVAL_HOLDS_MS } from "../approvals/transition.ts";
import { asText, objectIn } from "./json-text.ts";

export interface SentCard {
  /** What the adapter finds it by. */
  readonly handle: string;
  /** Why it could not be sent; else empty. */
  readonly problem: string;
  /** Of what it shows. */
  readonly face: string;
  /** How many reminders people were told of. */
  readonly reminders: number;
}

export const faceOf = (card: Card) => createHash("sha256").update(JSON.stringify(card)).digest("hex");

/** Only one server is at a card at a time; one that died is over after this. Longer than any attempt takes. */
export const LEASE_MS = 90_000;
const DAY_MS = 24 * 60 * 60 * 1000;
const PREFIX = "card:";

export class SentCards {
  readonly #store: KeptStore;
  readonly #now: () => Date;
  readonly #server: string;
  readonly #leaseMs: number;

  constructor(store: KeptStore, now: () => Date, server: string, leaseMs: number) {
    this.#store = store;
    this.#now = now;
    this.#server = server;
    this.#leaseMs = leaseMs;
  }

  async read(channel: string, approval: string): Promise<SentCard | undefined> {
    const kept = objectIn((await this.#store.kept(keyOf(channel, approval))) ?? "");
    if (!kept) return undefined;
    const { handle, problem, face, reminders } = kept;
    return { handle: asText(handle), problem: asText(problem), face: asText(face), reminders: Number(reminders ?? 0) };
  }

  /** Until the approval can change no more, and a day on. */
  async write(channel: string, { id, expiresAt }: Approval, card: SentCard): Promise<void> {
    const until = new Date(Math.max(Date.parse(expiresAt), this.#now().getTime()) + APPROVAL_HOLDS_MS + DAY_MS);
    await this.#store.keep(keyOf(channel, id), JSON.stringify(card), until);
  }

  async forget(channel: string, approval: string): Promise<void> {
    await this.#store.take(keyOf(channel, approval));
  }

  /** Of every card that may still have to change. */
  async approvals(): Promise<readonly string[]> {
    const kept = await this.#store.keptUnder(PREFIX);
    return [...new Set(kept.map(({ key }) => key.slice(key.lastIndexOf(":") + 1)))];
  }

  /** False: another server is at it. */
  lease(channel: string, approval: string): Promise<boolean> {
    return this.#store.keepNew(leaseOf(channel, approval), this.#server, this.#leaseEnd());
  }

  renew(channel: string, approval: string): Promise<void> {
    return this.#store.keep(leaseOf(channel, approval), this.#server, this.#leaseEnd());
  }

  async release(channel: string, approval: string): Promise<void> {
    const key = leaseOf(channel, approval);
    if ((await this.#store.kept(key)) === this.#server) await this.#store.take(key);
  }

  #leaseEnd(): Date {
    return new Date(this.#now().getTime() + this.#leaseMs);
  }
}

const keyOf = (channel: string, approval: string) => `${PREFIX}${channel}:${approval}`;
const leaseOf = (channel: string, approval: string) => `lease:${channel}:${approval}`;
