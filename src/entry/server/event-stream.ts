/**
 * Approvals as events: first all that is pending, read anew, then what changes. Whoever comes back with the id of the last
 * event they received is also told every approval that was settled, used or withdrawn since, as it stands now. Where that
 * cannot be known they are told `missed`: nothing is left out without a word.
 */
import { type Approval, STATUSES } from "../../approvals/approval.ts";
import { approversInWords } from "../../approvals/rights.ts";
import type { ApprovalStore } from "../../approvals/store.ts";
import { APPROVAL_HOLDS_MS } from "../../approvals/transition.ts";
import type { JsonObject } from "../../core/json.ts";
import type { ServerContext } from "./context.ts";
import { SKEW_MS } from "./live-events.ts";
import { readEventId, type Tell } from "./server-sent-events.ts";

export interface Reader {
  readonly organisation: string;
  /** Only of this session, or of this agent. */
  readonly session?: string | undefined;
  readonly agent?: string | undefined;
  /** Only what is asked on behalf of this person; null: on nobody's. */
  readonly initiator?: string | null | undefined;
  /** The id of the last event that was received before the connection broke. */
  readonly lastEventId?: string | undefined;
}

const MAX_READ_ANEW = 200;

export const approvalEvents =
  (context: ServerContext, reader: Reader): Tell =>
  async (send, atEnd, room) => {
    const channelNames = new Map<string, string>();
    /** News that came while the rest was read: what was read before them is old. Kept until all of that was sent. */
    const news = new Map<string, number>();
    let isReady = false;
    const tell = (approval: Approval) => {
      if (!isReady) news.set(approval.id, approval.version);
      if (isFor(reader, approval))
        for (const event of eventsOf(approval, channelNames)) send(event.type, event, { hasId: isReady });
    };
    const { organisation } = reader;
    const onMissed = () => send("missed", { message: "read again: others may have changed what nobody heard of" });
    atEnd(context.events.watch({ organisation, onApproval: tell, onMissed }));
    for (const { id, name } of await context.stores.channels(organisation)) channelNames.set(id, name);
    const { approvals, missed } = await readAnew(context, reader);
    for (const approval of approvals) {
      await room();
      if ((news.get(approval.id) ?? 0) < approval.version) tell(approval);
    }
    if (missed !== null) send("missed", { message: `read again: ${missed}` }, { hasId: false });
    isReady = true;
    news.clear();
    send("ready", {});
  };

/** The oldest first. `missed`: why there may be more. */
async function readAnew(
  { stores, events }: ServerContext,
  reader: Reader,
): Promise<{ approvals: readonly Approval[]; missed: string | null }> {
  const query = {
    organisation: reader.organisation,
    limit: MAX_READ_ANEW,
    ...(reader.session === undefined ? {} : { session: reader.session }),
    ...(reader.agent === undefined ? {} : { agent: reader.agent }),
    ...(reader.initiator === undefined ? {} : { initiator: reader.initiator }),
  };
  const pending = await stores.list({ ...query, statuses: ["pending"] });
  const onlyNewest = pending.next === undefined ? null : `these are only the newest ${MAX_READ_ANEW}`;
  if (!reader.lastEventId) return { approvals: pending.approvals.toReversed(), missed: onlyNewest };
  const { sentAt, isOfThisProcess } = readEventId(reader.lastEventId);
  if (sentAt === undefined)
    return { approvals: pending.approvals.toReversed(), missed: "the last event's id is none of this server's" };
  const settled = await stores.list({ ...query, statuses: STATUSES.filter((status) => status !== "pending") });
  const heardOf = isOfThisProcess && settled.next !== undefined ? events.heardOfSince(sentAt) : null;
  const heard = heardOf && heardOf.length <= MAX_READ_ANEW ? await readAll(stores, reader, heardOf) : null;
  const isWhole = settled.next === undefined || heard !== null;
  const since = sentAt - SKEW_MS;
  const changed =
    heard ??
    settled.approvals.filter(
      (approval) => isSettledSince(approval, since) || (isWhole && mayHaveEnded(approval, since)),
    );
  const all = [...pending.approvals, ...changed];
  return {
    approvals: all.toSorted((a, b) => (a.requestedAt < b.requestedAt ? -1 : 1)),
    missed: onlyNewest ?? whyUnsure({ isWhole, isOfThisProcess, wasHeard: events.hadHeardAllAt(sentAt) }),
  };
}

/** Those that are settled, and the reader's to see. */
async function readAll(store: ApprovalStore, reader: Reader, ids: readonly string[]): Promise<readonly Approval[]> {
  const read = await Promise.all(ids.map((id) => store.get(id)));
  return read
    .filter((approval) => approval !== undefined)
    .filter(({ organisation, status }) => organisation === reader.organisation && status !== "pending")
    .filter((approval) => isFor(reader, approval));
}

/**
 * Approvals are listed by when they were asked: one that was asked long ago may be settled, or its yes used, just now. Behind
 * many newer ones it is found where this process heard of it.
 */
function whyUnsure(known: { isWhole: boolean; isOfThisProcess: boolean; wasHeard: boolean }): string | null {
  if (!known.isWhole) return `of what is settled only the newest ${MAX_READ_ANEW} were looked at`;
  if (!known.isOfThisProcess) return "another process sent the last event, and may not have heard of all before it";
  return known.wasHeard ? null : "when the last event was sent, this server had not heard of all before it";
}

const isSettledSince = ({ decidedAt }: Approval, since: number) => Date.parse(decidedAt ?? "") >= since;

/** What became of a yes has no time in the approval: a use within a day of it, a withdrawal whenever. */
const mayHaveEnded = ({ status, decidedAt, votes }: Approval, since: number) =>
  (status === "used" && Date.parse(decidedAt ?? "") >= since - APPROVAL_HOLDS_MS) ||
  (status === "withdrawn" && votes.some(({ kind }) => kind === "approve"));

const isFor = ({ session, agent, initiator }: Reader, { call }: Approval) =>
  (session === undefined || call.session === session) &&
  (agent === undefined || call.agent === agent) &&
  (initiator === undefined || call.initiator === initiator);

type StreamEvent = JsonObject & { readonly type: "awaiting_confirmation" | "approval" };

/** Every change is an `approval`; one that waits for a person is `awaiting_confirmation` too. */
export function eventsOf(approval: Approval, channelNames: ReadonlyMap<string, string>): StreamEvent[] {
  const change = { type: "approval", approval: approval as unknown as JsonObject } as const;
  if (approval.status !== "pending") return [change];
  const { id, call, channel, expiresAt, version } = approval;
  const awaiting = {
    type: "awaiting_confirmation",
    confirmation_id: id,
    tool_name: call.tool,
    arguments: call.input,
    timeout_at: expiresAt,
    agent_id: call.agent,
    mode: channel === null ? "inline" : "channel",
    channel_label: channel === null ? null : (channelNames.get(channel) ?? channel),
    approver_scope: approversInWords(approval),
    session: call.session,
    conversation_id: call.session,
    turn: call.turn,
    version,
  } as const;
  return [awaiting, change];
}
