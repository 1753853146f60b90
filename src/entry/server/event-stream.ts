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
  /** The id of the last event that was received before the connection broke. */
  readonly lastEventId?: string | undefined;
}

const MAX_READ_ANEW = 200;

export const approvalEvents =
  (context: ServerContext, reader: Reader): Tell =>
  async (send, atEnd) => {
    const channelNames = new Map<string, string>();
    const tell = (approval: Approval) => {
      if (isFor(reader, approval)) for (const event of eventsOf(approval, channelNames)) send(event.type, event);
    };
    const { organisation } = reader;
    const onMissed = () => send("missed", { message: "read again: others may have changed what nobody heard of" });
    atEnd(context.events.watch({ organisation, onApproval: tell, onMissed }));
    for (const { id, name } of await context.stores.channels(organisation)) channelNames.set(id, name);
    for (const approval of await readAnew(context, reader)) tell(approval);
    send("ready", {});
  };

/** All that is pending, and what was settled since the reader heard of anything; the oldest first. */
async function readAnew({ stores }: ServerContext, reader: Reader): Promise<readonly Approval[]> {
  const query = {
    organisation: reader.organisation,
    limit: MAX_READ_ANEW,
    ...(reader.session === undefined ? {} : { session: reader.session }),
    ...(reader.agent === undefined ? {} : { agent: reader.agent }),
  };
  const pending = (await stores.list({ ...query, statuses: ["pending"] })).approvals;
  const since = Date.parse(reader.lastEventId?.split("/")[0] ?? "");
  if (Number.isNaN(since)) return pending.toReversed();
  const settled = await stores.list({ ...query, statuses: STATUSES.filter((status) => status !== "pending") });
  const missed = settled.approvals.filter(({ decidedAt }) => Date.parse(decidedAt ?? "") >= since - SKEW_MS);
  return [...pending, ...missed].toSorted((left, right) => (left.requestedAt < right.requestedAt ? -1 : 1));
}

const isFor = ({ session, agent }: Reader, { call }: Approval) =>
  (session === undefined || call.session === session) && (agent === undefined || call.agent === agent);

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
