/** A question to people about one tool call, and all that was ever said of it. Data only; what may change is transition.ts. */
import type { JsonObject } from "../core/json.ts";
import type { Deed } from "./deed.ts";

export const STATUSES = ["pending", "approved", "denied", "expired", "withdrawn", "used"] as const;
export type Status = (typeof STATUSES)[number];

/** The organisation of whoever belongs to none. */
export const PERSONAL = "personal";

export interface Approval {
  /** `A-` and ten characters: what people and models call it by. */
  readonly id: string;
  readonly organisation: string;
  readonly status: Status;
  /** Counts every change: a change is stored only over the version it was made from. */
  readonly version: number;
  /** Of the final call, with secrets and all: tool, arguments after every rewrite, cwd, agent, session, host. */
  readonly digest: string;
  readonly call: AskedCall;
  /** The rule that asks, and why, in its words. */
  readonly rule: string;
  readonly reason: string;
  readonly policy: Policy;
  /** The channel people are asked in; null: only the inbox and the terminal. */
  readonly channel: string | null;
  readonly delivery: Delivery;
  readonly votes: readonly Vote[];
  readonly delegations: readonly Delegation[];
  readonly reminders: number;
  readonly isEscalated: boolean;
  readonly requestedAt: string;
  readonly expiresAt: string;
  /** When it left `pending`. */
  readonly decidedAt: string | null;
  /** The event whose call it let through. The same event may ask again: it may be a call that somebody took over. */
  readonly usedBy: string | null;
}

/** What became of the card in the channel. Without a channel there is none to wait for. */
export interface Delivery {
  readonly state: "none" | "waiting" | "delivered" | "failed";
  /** Why it failed; else empty. */
  readonly detail: string;
}

/** The call as people see it: whole, and with secrets marked as redacted. */
export interface AskedCall {
  readonly eventId: string;
  readonly host: string;
  readonly session: string;
  readonly turn: string;
  readonly agent: string | null;
  /** On whose behalf the agent acts. */
  readonly initiator: string | null;
  readonly cwd: string;
  readonly tool: string;
  readonly kind: string;
  readonly input: JsonObject;
  /** What the call would do, in words, one each: the parsed effects of a command, the files of an edit. */
  readonly effects: readonly string[];
  /** The same as data, of which the desk makes the words. Absent: whoever asked only had words. */
  readonly deeds?: readonly Deed[] | undefined;
}

export interface Policy {
  readonly approvers: Approvers;
  readonly expiresAfterMs: number;
  /** Time between reminders; null: none. */
  readonly remindEveryMs: number | null;
  /** After a time others may decide too, and are asked; null: never. */
  readonly escalation: Escalation | null;
}

/** Who may decide: the people named and whoever has one of the roles; with neither, every approver of the organisation. */
export interface Approvers {
  readonly people: readonly string[];
  readonly roles: readonly string[];
  /** How many yes are needed. One no is always enough. */
  readonly count: number;
  /** Whoever the agent acts for may not decide. */
  readonly notInitiator: boolean;
}

export interface Escalation {
  readonly afterMs: number;
  readonly people: readonly string[];
  readonly roles: readonly string[];
  readonly channel: string | null;
}

export type VoteKind = "approve" | "deny";

export interface Vote {
  readonly by: string;
  readonly kind: VoteKind;
  readonly reason: string;
  readonly at: string;
  /** Where it was said: `web`, `terminal`, `api`, `channel:<id>`. */
  readonly via: string;
}

/** An approver handed their right to somebody else, and no longer has it. */
export interface Delegation {
  readonly from: string;
  readonly to: string;
  readonly at: string;
}

/** Somebody known to us. */
export interface Person {
  readonly id: string;
  readonly organisation: string;
  readonly name: string;
  readonly roles: readonly string[];
}

/** May decide whatever no rule names approvers for. */
export const APPROVER = "approver";
/** May decide everything in the organisation, and change people and channels. */
export const ADMIN = "admin";

/** One line of what happened to an approval. Outlives channels, agents and people it names. */
export interface HistoryEntry {
  readonly approval: string;
  readonly organisation: string;
  /** The version of the approval after it; what changes nothing carries the version it found. */
  readonly version: number;
  readonly at: string;
  readonly action: HistoryAction;
  readonly by: string | null;
  readonly via: string | null;
  readonly detail: JsonObject;
}

export const HISTORY_ACTIONS = [
  "requested",
  "voted",
  "approved",
  "denied",
  "expired",
  "withdrawn",
  "used",
  "delegated",
  "reminded",
  "escalated",
  "refused",
  "delivered",
  "delivery-failed",
] as const;
export type HistoryAction = (typeof HISTORY_ACTIONS)[number];
