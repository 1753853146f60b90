/** Approvals as events: first all that is pending, read anew, then what changes. */
import { type Approval, STATUSES } from "../../approvals/approval.ts";
import { approversInWords } from "../../approvals/rights.ts";
import type { JsonObject } from "../../core/json.ts";
import type { ServerContext } from "./context.ts";
import { SKEW_MS } from "./live-events.ts";
import type { Tell } from "./server-sent-events.ts";

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
      if (isFor(reader, approval)) for (const event of eventsOf(approval, channelNames)) send(event.type, event);
    };
    const { organisation } = reader;
    const onMissed = () => send("missed", { message: "read again: others may have changed what nobody heard of" });
    atEnd(context.events.watch({ organisation, onApproval: tell, onMissed }));
    for (const { id, name } of await context.stores.channels(organisation)) channelNames.set(id, name);
    const { approvals, hasMore } = await readAnew(context, reader);
    for (const approval of approvals) {
      await room();
      if ((news.get(approval.id) ?? 0) < approval.version) tell(approval);
    }
    isReady = true;
    news.clear();
    if (hasMore) send("missed", { message: `read again: these are only the newest ${MAX_READ_ANEW}` });
    send("ready", {});
  };

/** All that is pending, and what was settled since the reader heard of anything; the oldest first. */
async function readAnew(
  { stores }: ServerContext,
  reader: Reader,
): Promise<{ approvals: readonly Approval[]; hasMore: boolean }> {
  const query = {
    organisation: reader.organisation,
    limit: MAX_READ_ANEW,
    ...(reader.session === undefined ? {} : { session: reader.session }),
    ...(reader.agent === undefined ? {} : { agent: reader.agent }),
    ...(reader.initiator === undefined ? {} : { initiator: reader.initiator }),
  };
  const pending = await stores.list({ ...query, statuses: ["pending"] });
  const since = Date.parse(reader.lastEventId?.split("/")[0] ?? "");
  if (Number.isNaN(since)) return { approvals: pending.approvals.toReversed(), hasMore: pending.next !== undefined };
  const settled = await stores.list({ ...query, statuses: STATUSES.filter((status) => status !== "pending") });
  const missed = settled.approvals.filter(({ decidedAt }) => Date.parse(decidedAt ?? "") >= since - SKEW_MS);
  return {
    approvals: [...pending.approvals, ...missed].toSorted((a, b) => (a.requestedAt < b.requestedAt ? -1 : 1)),
    hasMore: pending.next !== undefined || missed.length === MAX_READ_ANEW,
  };
}

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
