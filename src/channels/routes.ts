/**
 * Callbacks of platforms, for whatever server mounts them. A click counts only if it is genuine and fresh (the adapter
 * says), new, about an approval that was asked in this very channel, and by somebody who may decide it. No body is logged.
 */
import { createHash } from "node:crypto";
import type { Approval } from "../approvals/approval.ts";
import type { CallbackAnswer, Channel, Click, ClickResult } from "../approvals/channel.ts";
import type { Approvals, Outcome } from "../approvals/service.ts";
import type { StoredChannel, Stores } from "../approvals/store.ts";
import { HoldfastError } from "../core/errors.ts";
import { WINDOW_MS } from "./authenticity.ts";
import { cardFor, type LinkTo } from "./card-view.ts";
import { problemInWords } from "./failure.ts";
import type { OpenChannels } from "./open-channels.ts";

export interface CallbackDeps {
  readonly stores: Stores;
  readonly approvals: Approvals;
  readonly channels: OpenChannels;
  readonly linkTo: LinkTo;
  /** Told what went wrong, for a person to read: never a body, a credential or a call. */
  readonly onProblem: (channel: string, problem: string) => void;
}

export interface CallbackRequest {
  readonly channel: string;
  readonly method: string;
  /** Names in any case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly query: Readonly<Record<string, string | undefined>>;
  readonly body: string;
}

export const MAX_CALLBACK_BYTES = 256 * 1024;

export function callbackHandler(deps: CallbackDeps): (request: CallbackRequest) => Promise<CallbackAnswer> {
  const { stores, onProblem } = deps;
  return async ({ channel: id, method, headers, query, body }) => {
    if (Buffer.byteLength(body) > MAX_CALLBACK_BYTES) return plain(413, "the body is too large");
    const opened = await openedOr(deps, id);
    if (opened === "unusable") return plain(503, "the channel cannot be used now");
    if (!opened) return plain(404, "there is no such channel");
    const { stored, channel } = opened;
    if (!stored.isActive) return plain(403, "the channel is switched off");
    const callback = { method, headers: lowerCase(headers), query: defined(query), body };
    const received = channel.receive(callback, stores.now());
    if (received.kind === "refused") {
      onProblem(id, `a callback was refused: ${received.reason}`);
      return plain(received.status, received.reason);
    }
    if (received.kind !== "click") return received.answer;
    const { click } = received;
    if (!(await isNew(deps, id, click))) {
      onProblem(id, "a callback was refused: it was received before");
      return plain(409, "it was received before");
    }
    const result = await decided(deps, stored, click);
    followUp(channel, click, result, (problem) => onProblem(id, problem));
    return channel.answer(result);
  };
}

/** Why its credentials cannot be opened is for whoever runs the server, not for whoever calls. */
async function openedOr({ channels, onProblem }: CallbackDeps, id: string) {
  try {
    return await channels.open(id);
  } catch (error) {
    if (!(error instanceof HoldfastError)) throw error;
    onProblem(id, `a callback was refused: ${problemInWords(error)}`);
    return "unusable";
  }
}

/** A copy of a callback is older than the window by the time its nonce is forgotten. */
async function isNew({ stores }: CallbackDeps, channel: string, { nonce }: Click): Promise<boolean> {
  const digest = createHash("sha256").update(nonce).digest("hex");
  return stores.keepNew(`nonce:${channel}:${digest}`, "", new Date(stores.now().getTime() + 3 * WINDOW_MS));
}

async function decided(deps: CallbackDeps, stored: StoredChannel, click: Click): Promise<ClickResult> {
  const { stores, approvals, linkTo } = deps;
  const approval = await stores.get(click.approval);
  if (!approval || !wasAskedIn(approval, stored)) {
    // The history of an approval is its organisation's: others do not write into it.
    if (approval?.organisation === stored.organisation)
      await noteRefusal(deps, approval, stored, click, "other-channel");
    else if (approval) deps.onProblem(stored.id, "a click was about an approval of another organisation");
    return { tone: "error", text: `There is no approval ${click.approval} in this channel.`, card: null };
  }
  const person = await stores.identified(click.identity, stored.organisation);
  if (!person) {
    await noteRefusal(deps, approval, stored, click, "unknown-person");
    const text = `Nobody here is known as ${click.identity}. Ask an admin to link this account to you, then click again.`;
    return { tone: "error", text, card: null };
  }
  const ballot = {
    person,
    isMember: true,
    kind: click.decision,
    reason: click.reason,
    via: `channel:${stored.id}`,
  } as const;
  const outcome = await approvals.vote(approval.id, ballot);
  const { tone, text } = inWords(outcome);
  // A card that can still change is left to the dispatcher, which updates one after another: this answer may come late.
  const settled = outcome.approval?.status === "pending" ? undefined : outcome.approval;
  return { tone, text, card: settled ? await cardFor(settled, stores, linkTo) : null };
}

/** In the channel it was asked in, or was escalated to; never in another organisation's. */
function wasAskedIn({ organisation, channel, isEscalated, policy }: Approval, stored: StoredChannel): boolean {
  if (organisation !== stored.organisation) return false;
  return channel === stored.id || (isEscalated && policy.escalation?.channel === stored.id);
}

function inWords(outcome: Outcome): Pick<ClickResult, "tone" | "text"> {
  if (outcome.kind === "done") {
    const { status, votes, policy } = outcome.approval;
    if (status === "denied") return { tone: "success", text: "Denied. The call will not run." };
    if (status !== "pending") return { tone: "success", text: "Approved. The call will run once, as shown." };
    const missing = policy.approvers.count - votes.filter(({ kind }) => kind === "approve").length;
    return { tone: "success", text: `Your yes counts. ${missing} more ${missing === 1 ? "is" : "are"} needed.` };
  }
  if (outcome.code === "already-voted") return { tone: "info", text: sentence(outcome.why) };
  if (outcome.code !== "not-pending") return { tone: "error", text: `This did not count: ${outcome.why}.` };
  const status = outcome.approval?.status;
  if (status === "expired") return { tone: "warning", text: "Too late: it has expired. The call did not run." };
  return { tone: "info", text: `This did not count: it is already ${status}.` };
}

const sentence = (words: string) => `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;

async function noteRefusal(
  { stores }: CallbackDeps,
  { id, organisation, version }: Approval,
  stored: StoredChannel,
  { decision, identity }: Click,
  code: string,
): Promise<void> {
  const at = stores.now().toISOString();
  const detail = { kind: decision, code, identity: identity.slice(0, 200) };
  const via = `channel:${stored.id}`;
  await stores.note({ approval: id, organisation, version, at, action: "refused", by: null, via, detail });
}

/** The answer does not wait for it: platforms want theirs within a second or three. */
function followUp(channel: Channel, click: Click, result: ClickResult, onProblem: (problem: string) => void): void {
  channel.followUp?.(click, result).catch((error: unknown) => {
    onProblem(`a click was answered, but the person may not see it: ${problemInWords(error)}`);
  });
}

function defined(values: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])),
  );
}

const lowerCase = (headers: Readonly<Record<string, string | undefined>>) =>
  Object.fromEntries(Object.entries(defined(headers)).map(([key, value]) => [key.toLowerCase(), value]));

const plain = (status: number, reason: string): CallbackAnswer => ({
  status,
  contentType: "text/plain; charset=utf-8",
  body: `${reason}\n`,
});
