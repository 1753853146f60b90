/** Where people are asked besides the inbox and the terminal. One conformance suite holds for every adapter (src/channels). */
import type { VoteKind } from "./approval.ts";
import type { Card } from "./card.ts";

export const CHANNEL_TYPES = ["feishu", "slack", "wecom", "webhook"] as const;
export type ChannelType = (typeof CHANNEL_TYPES)[number];

export const isChannelType = (type: string): type is ChannelType => (CHANNEL_TYPES as readonly string[]).includes(type);

/** What is sent throws a ChannelFailure where the platform refuses it or is not there. */
export interface Channel {
  readonly type: ChannelType;
  /** Asks. Returns what `update` needs to find the card again. `delivery` is the same for every attempt to send this card. */
  send(card: Card, delivery: string): Promise<string>;
  /** Shows the card as it is now, in its place. Returns the handle for the next update. */
  update(handle: string, card: Card): Promise<string>;
  /** Tells something that wants no decision: a run has ended, somebody is needed. */
  notify(note: Note): Promise<void>;
  /** A plain message without buttons, so that a person sees the settings work. Returns what to tell them. */
  test(): Promise<string>;
  /** The rooms the app may write to; absent where the platform has none. */
  rooms?(): Promise<readonly Room[]>;
  /** Reads a callback of the platform and says whether it is genuine and fresh. Whether it is new, and who may decide, is for others. */
  receive(callback: Callback, now: Date): Received;
  /** What the platform wants to hear back about a click. */
  answer(result: ClickResult): CallbackAnswer;
  /** What the platform wants besides the answer, once it was given. */
  followUp?(click: Click, result: ClickResult): Promise<void>;
}

export interface Room {
  readonly id: string;
  readonly name: string;
}

/** A short message, all of it plain text. */
export interface Note {
  readonly tone: "good" | "bad" | "waiting";
  readonly title: string;
  readonly lines: readonly string[];
  readonly link: string | null;
}

/** A request of a platform, as it came. */
export interface Callback {
  readonly method: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface CallbackAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

export type Received =
  | { readonly kind: "challenge"; readonly answer: CallbackAnswer }
  | { readonly kind: "click"; readonly click: Click }
  /** Not genuine, or not fresh. `reason` never quotes the body. */
  | { readonly kind: "refused"; readonly status: number; readonly reason: string }
  /** Genuine, but nothing we know. */
  | { readonly kind: "unknown"; readonly answer: CallbackAnswer; readonly what: string };

export interface Click {
  readonly approval: string;
  readonly decision: VoteKind;
  /** Who clicked, as the people of the organisation are known: `feishu:ou_…`. */
  readonly identity: string;
  readonly reason: string;
  /** The same for the same request of the platform, and for no other. */
  readonly nonce: string;
  /** Where the platform wants to hear more about this click; null: nowhere. */
  readonly replyTo: string | null;
}

/** What became of a click, for the person who clicked. */
export interface ClickResult {
  readonly tone: "success" | "info" | "warning" | "error";
  readonly text: string;
  /** The card as it is now; null: leave it. */
  readonly card: Card | null;
}
