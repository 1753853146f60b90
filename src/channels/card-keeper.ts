/** Brings the card of one approval in one channel to how the approval stands: sent, updated in its place, reminded of. */
import type { Approval } from "../approvals/approval.ts";
import type { Card } from "../approvals/card.ts";
import type { Note } from "../approvals/channel.ts";
import type { Approvals } from "../approvals/service.ts";
import type { Stores } from "../approvals/store.ts";
import { cardFor, type LinkTo } from "./card-view.ts";
import { problemInWords } from "./failure.ts";
import type { OpenChannels } from "./open-channels.ts";
import { retried } from "./retry.ts";
import { faceOf, type SentCard, type SentCards } from "./sent-cards.ts";

export interface KeeperDeps {
  readonly stores: Stores;
  readonly approvals: Approvals;
  readonly channels: OpenChannels;
  readonly cards: SentCards;
  readonly linkTo: LinkTo;
  readonly retryDelaysMs: readonly number[];
  readonly signal: AbortSignal;
  readonly onProblem: (approval: string, problem: string) => void;
}

/** The channels an approval is asked in. */
export function channelsOf({ channel, isEscalated, policy }: Approval): readonly string[] {
  const escalated = isEscalated ? (policy.escalation?.channel ?? null) : null;
  return [...new Set([channel, escalated])].filter((id) => id !== null);
}

/** False: another server is at it, and it should be looked at again. */
export async function keepCard(deps: KeeperDeps, id: string, channel: string): Promise<boolean> {
  const { cards } = deps;
  // Most of the time nothing is to be done, and then nothing is written.
  if (!(await stateOf(deps, id, channel))?.isBehind) return true;
  if (!(await cards.lease(channel, id))) return false;
  try {
    const state = await stateOf(deps, id, channel);
    if (state?.isBehind) await brought(deps, channel, state);
  } finally {
    await cards.release(channel, id);
  }
  return true;
}

interface CardState {
  readonly approval: Approval;
  /** As it should be. */
  readonly card: Card;
  readonly sent: SentCard | undefined;
  readonly isBehind: boolean;
}

async function stateOf(deps: KeeperDeps, id: string, channel: string): Promise<CardState | undefined> {
  const { cards, stores, linkTo } = deps;
  const approval = await stores.get(id);
  if (!approval) return undefined;
  const sent = await cards.read(channel, id);
  const card = await cardFor(approval, stores, linkTo);
  const isUnreported = approval.channel === channel && card.isOpen && approval.delivery.state === "waiting";
  const isBehind = sent
    ? isUnreported || isFinal(approval) || isOutdated(sent, card) || isUnreminded(sent, approval)
    : card.isOpen && (approval.channel !== channel || isUnreported);
  return { approval, card, sent, isBehind };
}

const isOutdated = ({ problem, face }: SentCard, card: Card) => problem === "" && face !== faceOf(card);

const isUnreminded = ({ reminders }: SentCard, approval: Approval) =>
  approval.status === "pending" && approval.reminders > reminders;

async function brought(deps: KeeperDeps, channel: string, { approval, card, sent }: CardState): Promise<void> {
  const { cards } = deps;
  if (!sent) return send(deps, approval, channel, card);
  // A server died between the card and this.
  if (approval.channel === channel && approval.delivery.state === "waiting")
    await deps.approvals.delivered(approval.id, sent.problem === "" ? undefined : sent.problem);
  let shown = sent;
  if (isOutdated(sent, card)) {
    const handle = await update(deps, approval, channel, sent.handle, card);
    if (deps.signal.aborted) return;
    shown = { ...shown, face: faceOf(card), handle };
  }
  if (isUnreminded(sent, approval)) {
    await remind(deps, approval, channel);
    shown = { ...shown, reminders: approval.reminders };
  }
  if (isFinal(approval)) await cards.forget(channel, approval.id);
  else if (shown !== sent) await cards.write(channel, approval, shown);
}

const isFinal = ({ status }: Approval) => status !== "pending" && status !== "approved";

async function send(deps: KeeperDeps, approval: Approval, channel: string, card: Card): Promise<void> {
  const { cards, approvals } = deps;
  const { id, reminders } = approval;
  const isMain = approval.channel === channel;
  try {
    const handle = await tried(deps, approval, channel, ({ send }) => send(card, `${id}-${channel}`));
    await cards.write(channel, approval, { handle, problem: "", face: faceOf(card), reminders });
    if (isMain) await approvals.delivered(id);
  } catch (error) {
    if (deps.signal.aborted) return;
    const problem = problemInWords(error);
    await cards.write(channel, approval, { handle: "", problem, face: "", reminders });
    if (isMain) await approvals.delivered(id, problem);
    else await noteProblem(deps, approval, channel, "escalation", problem);
    deps.onProblem(id, `the card could not be sent: ${problem}`);
  }
}

/** A card that cannot be updated keeps what it showed; clicks on it are answered with how things stand. */
async function update(
  deps: KeeperDeps,
  approval: Approval,
  channel: string,
  handle: string,
  card: Card,
): Promise<string> {
  try {
    return await tried(deps, approval, channel, ({ update }) => update(handle, card));
  } catch (error) {
    if (deps.signal.aborted) return handle;
    const problem = problemInWords(error);
    await noteProblem(deps, approval, channel, "update", problem);
    deps.onProblem(approval.id, `the card could not be updated: ${problem}`);
    return handle;
  }
}

async function remind(deps: KeeperDeps, approval: Approval, channel: string): Promise<void> {
  const { id, call, expiresAt } = approval;
  const note: Note = {
    tone: "waiting",
    title: `Still waiting: ${call.tool}`,
    lines: [`Approval ${id} waits for a decision until ${expiresAt.slice(0, 16).replace("T", " ")} UTC.`],
    link: deps.linkTo(id),
  };
  try {
    await tried(deps, approval, channel, ({ notify }) => notify(note));
  } catch (error) {
    const problem = problemInWords(error);
    await noteProblem(deps, approval, channel, "reminder", problem);
    deps.onProblem(id, `a reminder could not be sent: ${problem}`);
  }
}

async function tried<T>(
  { channels, cards, retryDelaysMs, signal }: KeeperDeps,
  { id, organisation }: Approval,
  channel: string,
  attempt: (adapter: Awaited<ReturnType<OpenChannels["openFor"]>>["channel"]) => Promise<T>,
): Promise<T> {
  const once = async () => attempt((await channels.openFor(organisation, channel)).channel);
  return retried(once, retryDelaysMs, signal, () => cards.renew(channel, id));
}

async function noteProblem(
  { stores }: KeeperDeps,
  { id, organisation, version }: Approval,
  channel: string,
  what: string,
  problem: string,
): Promise<void> {
  const at = stores.now().toISOString();
  const detail = { channel, what, detail: problem };
  const via = `channel:${channel}`;
  await stores.note({ approval: id, organisation, version, at, action: "delivery-failed", by: null, via, detail });
}
