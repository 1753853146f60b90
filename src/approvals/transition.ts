/**
 * Every change an approval can go through, as functions of the approval and the time. Nothing else makes an approval: a
 * store only keeps what these return, over the version they were given.
 */
import type { JsonObject } from "../core/json.ts";
import type { Approval, AskedCall, HistoryAction, HistoryEntry, Person, Policy, Status, VoteKind } from "./approval.ts";
import { type RightsCode, rightToDecide } from "./rights.ts";

export type Transition =
  | { readonly kind: "changed"; readonly approval: Approval; readonly history: readonly HistoryEntry[] }
  | { readonly kind: "refused"; readonly code: RefusalCode; readonly why: string };

export type RefusalCode = RightsCode | "not-pending" | "already-voted" | "not-approved" | "other-call" | "already-used";

export interface Draft {
  readonly id: string;
  readonly organisation: string;
  readonly digest: string;
  readonly call: AskedCall;
  readonly rule: string;
  readonly reason: string;
  readonly policy: Policy;
  readonly channel: string | null;
}

export function requested(draft: Draft, now: Date): { approval: Approval; history: readonly HistoryEntry[] } {
  const approval: Approval = {
    ...draft,
    status: "pending",
    version: 1,
    delivery: { state: draft.channel === null ? "none" : "waiting", detail: "" },
    votes: [],
    delegations: [],
    reminders: 0,
    isEscalated: false,
    requestedAt: now.toISOString(),
    expiresAt: later(now, draft.policy.expiresAfterMs),
    decidedAt: null,
    usedBy: null,
  };
  return { approval, history: [entry(approval, "requested", now, draft.call.initiator, null, { rule: draft.rule })] };
}

export interface Ballot {
  readonly person: Person;
  /** They were read from the store: the vote is stored only while they are there as they were read. */
  readonly isMember?: true;
  readonly kind: VoteKind;
  readonly reason: string;
  readonly via: string;
}

/** One no denies; `count` yes of different people approve. A vote that comes too late finds the approval expired. */
export function vote(approval: Approval, { person, kind, reason, via }: Ballot, now: Date): Transition {
  if (isOverdue(approval, now)) return expire(approval, now);
  if (approval.status !== "pending") return settledAlready(approval);
  const right = rightToDecide(approval, person);
  if (!right.may) return refused(right.code, right.why);
  if (approval.votes.some(({ by }) => by === person.id))
    return refused("already-voted", "you have said yes already; it waits for others");
  const at = now.toISOString();
  const votes = [...approval.votes, { by: person.id, kind, reason, at, via }];
  const yes = votes.filter((vote) => vote.kind === "approve").length;
  const status = kind === "deny" ? "denied" : yes >= approval.policy.approvers.count ? "approved" : "pending";
  const next = changed({ ...approval, votes }, status, now);
  const detail = { kind, reason };
  const history = [entry(next, "voted", now, person.id, via, detail)];
  if (status !== "pending") history.push(entry(next, status, now, person.id, via, detail));
  return { kind: "changed", approval: next, history };
}

/** Nobody decided in time. An approved call that never came is left as it is: whoever asks later finds it too old. */
export function expire(approval: Approval, now: Date): Transition {
  if (approval.status !== "pending") return settledAlready(approval);
  if (!isOverdue(approval, now)) return refused("not-pending", `it waits until ${approval.expiresAt}`);
  return settled(approval, "expired", now, null, null, {});
}

/** Whoever asked no longer wants to know. */
export function withdraw(approval: Approval, why: string, by: string | null, now: Date): Transition {
  if (isOverdue(approval, now)) return expire(approval, now);
  if (approval.status !== "pending" && approval.status !== "approved") return settledAlready(approval);
  return settled(approval, "withdrawn", now, by, null, { why });
}

export interface Use {
  /** Of the call that is about to run. */
  readonly digest: string;
  readonly eventId: string;
}

/** How long a yes holds for a call that does not come. */
export const APPROVAL_HOLDS_MS = 24 * 60 * 60 * 1000;

/** A yes whose call did not come in time. */
export const isStale = ({ status, decidedAt }: Approval, now: Date) =>
  status === "approved" && now.getTime() > Date.parse(decidedAt ?? "") + APPROVAL_HOLDS_MS;

export const STALE = "the call did not come within a day of the yes";

/** A yes is good for one call, the very one that was asked about. The same event may take it twice: it is one call. */
export function use(approval: Approval, { digest, eventId }: Use, now: Date): Transition {
  if (approval.digest !== digest) return refused("other-call", "it was given for another call");
  if (approval.status === "used") {
    if (approval.usedBy === eventId) return { kind: "changed", approval, history: [] };
    return refused("already-used", "it was used for an earlier call");
  }
  if (approval.status !== "approved") return refused("not-approved", `it is ${approval.status}`);
  if (isStale(approval, now)) return settled(approval, "withdrawn", now, null, null, { why: STALE });
  const next = { ...changed(approval, "used", now), usedBy: eventId };
  return { kind: "changed", approval: next, history: [entry(next, "used", now, null, null, { event: eventId })] };
}

export function delegate(approval: Approval, from: Person, to: Person, now: Date): Transition {
  if (isOverdue(approval, now)) return expire(approval, now);
  if (approval.status !== "pending") return settledAlready(approval);
  const right = rightToDecide(approval, from);
  if (!right.may) return refused(right.code, right.why);
  if (approval.votes.some(({ by }) => by === from.id)) return refused("already-voted", "you have voted already");
  if (to.organisation !== approval.organisation)
    return refused("other-organisation", `${to.name} belongs to another organisation`);
  if (approval.policy.approvers.notInitiator && approval.call.initiator === to.id)
    return refused("self-approval", `the agent acts for ${to.name}, and its rule wants somebody else to decide`);
  if (to.id === from.id || approval.delegations.some((known) => known.from === to.id))
    return refused("delegated-away", `${to.name} handed this decision on already`);
  if (approval.votes.some(({ by }) => by === to.id)) return refused("already-voted", `${to.name} has voted already`);
  const delegations = [...approval.delegations, { from: from.id, to: to.id, at: now.toISOString() }];
  const next = changed({ ...approval, delegations }, "pending", now);
  return { kind: "changed", approval: next, history: [entry(next, "delegated", now, from.id, null, { to: to.id })] };
}

/** The card went out, or did not: whoever waits decides what that means. */
export function delivered(approval: Approval, problem: string | undefined, now: Date): Transition {
  if (approval.status !== "pending") return settledAlready(approval);
  const state = problem === undefined ? "delivered" : "failed";
  const detail = problem ?? "";
  if (approval.delivery.state === state && approval.delivery.detail === detail)
    return { kind: "changed", approval, history: [] };
  const next = changed({ ...approval, delivery: { state, detail } }, "pending", now);
  const action = problem === undefined ? "delivered" : "delivery-failed";
  const told = { channel: approval.channel, detail };
  return { kind: "changed", approval: next, history: [entry(next, action, now, null, null, told)] };
}

/** What is due by now, one step a call: expiry, escalation, a reminder. Undefined: nothing. */
export function due(approval: Approval, now: Date): Transition | undefined {
  if (approval.status !== "pending") return undefined;
  if (isOverdue(approval, now)) return expire(approval, now);
  const { escalation, remindEveryMs } = approval.policy;
  const waitedMs = now.getTime() - Date.parse(approval.requestedAt);
  if (escalation && !approval.isEscalated && waitedMs >= escalation.afterMs) {
    const next = changed({ ...approval, isEscalated: true }, "pending", now);
    const { people, roles } = escalation;
    return {
      kind: "changed",
      approval: next,
      history: [entry(next, "escalated", now, null, null, { people: [...people], roles: [...roles] })],
    };
  }
  const reminders = remindEveryMs === null ? 0 : Math.floor(waitedMs / remindEveryMs);
  if (reminders <= approval.reminders) return undefined;
  const next = changed({ ...approval, reminders }, "pending", now);
  return { kind: "changed", approval: next, history: [entry(next, "reminded", now, null, null, { reminders })] };
}

/** When `due` next has something to do; undefined: never again. */
export function nextDueAt(approval: Approval): string | undefined {
  if (approval.status !== "pending") return undefined;
  const { escalation, remindEveryMs } = approval.policy;
  const asked = Date.parse(approval.requestedAt);
  const moments = [
    Date.parse(approval.expiresAt),
    ...(escalation && !approval.isEscalated ? [asked + escalation.afterMs] : []),
    ...(remindEveryMs === null ? [] : [asked + (approval.reminders + 1) * remindEveryMs]),
  ];
  return new Date(Math.min(...moments)).toISOString();
}

export const isOverdue = ({ status, expiresAt }: Approval, now: Date) =>
  status === "pending" && now.getTime() >= Date.parse(expiresAt);

function settled(
  approval: Approval,
  status: Exclude<Status, "pending" | "used" | "approved" | "denied">,
  now: Date,
  by: string | null,
  via: string | null,
  detail: JsonObject,
): Transition {
  const next = changed(approval, status, now);
  return { kind: "changed", approval: next, history: [entry(next, status, now, by, via, detail)] };
}

function changed(approval: Approval, status: Status, now: Date): Approval {
  const decidedAt = approval.decidedAt ?? (status === "pending" ? null : now.toISOString());
  return { ...approval, status, decidedAt, version: approval.version + 1 };
}

function entry(
  { id, organisation, version }: Approval,
  action: HistoryAction,
  now: Date,
  by: string | null,
  via: string | null,
  detail: JsonObject,
): HistoryEntry {
  return { approval: id, organisation, version, at: now.toISOString(), action, by, via, detail };
}

const settledAlready = ({ status, decidedAt }: Approval) =>
  refused("not-pending", `it is ${status} since ${decidedAt}`);

const refused = (code: RefusalCode, why: string): Transition => ({ kind: "refused", code, why });

const later = (now: Date, ms: number) => new Date(now.getTime() + ms).toISOString();
