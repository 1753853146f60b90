/**
 * Server-sent events. A stream is a reader's: first all that is pending, read anew, then what changes. It holds a bounded
 * number of events that the reader has not taken; whoever is slower is told to read again.
 */
import { type Approval, STATUSES } from "../../approvals/approval.ts";
import { approversInWords } from "../../approvals/rights.ts";
import type { JsonObject } from "../../core/json.ts";
import type { ServerContext } from "./context.ts";

export interface Reader {
  readonly organisation: string;
  /** Only of this session, or of this agent. */
  readonly session?: string | undefined;
  readonly agent?: string | undefined;
  /** The id of the last event that was received before the connection broke. */
  readonly lastEventId?: string | undefined;
  /** Asked as often as the stream says that it is there: whoever was signed out hears no more. */
  readonly isStillSignedIn: () => Promise<boolean>;
}

const MAX_WAITING = 256;
const MAX_READ_ANEW = 200;
/** Clocks of servers that share a store may differ by this much. */
const SKEW_MS = 10_000;

export function eventStream(
  context: ServerContext,
  reader: Reader,
  gone: AbortSignal,
  onEnd: () => void = () => {},
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let end = () => {};
  let isCancelled = false;
  return new ReadableStream<Uint8Array>(
    {
      async start(controller) {
        let isOver = false;
        const send = (text: string) => {
          if (isOver) return;
          if ((controller.desiredSize ?? 0) > 0) return controller.enqueue(encoder.encode(text));
          controller.enqueue(
            encoder.encode(eventText("overflow", context, { message: "read again: events were missed" })),
          );
          end();
        };
        const channelNames = new Map<string, string>();
        const tell = (approval: Approval) => {
          if (isFor(reader, approval))
            for (const event of eventsOf(approval, channelNames)) send(eventText(event.type, context, event));
        };
        const unwatch = context.events.watch({ organisation: reader.organisation, onApproval: tell });
        const keepalive = setInterval(() => {
          reader.isStillSignedIn().then(
            (isSignedIn) => (isSignedIn ? send(": keepalive\n\n") : end()),
            // While the store is away nobody knows, and nothing is told either.
            () => send(": keepalive\n\n"),
          );
        }, context.keepaliveMs);
        end = () => {
          if (isOver) return;
          isOver = true;
          onEnd();
          clearInterval(keepalive);
          unwatch();
          for (const signal of [gone, context.closing]) signal.removeEventListener("abort", end);
          if (!isCancelled) controller.close();
        };
        for (const signal of [gone, context.closing]) signal.addEventListener("abort", end, { once: true });
        if (gone.aborted || context.closing.aborted) return end();
        try {
          for (const { id, name } of await context.stores.channels(reader.organisation)) channelNames.set(id, name);
          for (const approval of await readAnew(context, reader)) tell(approval);
          send(eventText("ready", context, {}));
        } catch (error) {
          context.log(`an event stream could not begin: ${error instanceof Error ? error.message : String(error)}`);
          end();
        }
      },
      cancel() {
        isCancelled = true;
        end();
      },
    },
    { highWaterMark: MAX_WAITING },
  );
}

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

let sent = 0;

/** The id says when: whoever comes back with it is read what was missed since. JSON has no line breaks in it. */
function eventText(type: string, { stores }: ServerContext, data: JsonObject): string {
  sent++;
  return `id: ${stores.now().toISOString()}/${sent}\nevent: ${type}\ndata: ${JSON.stringify(data)}\n\n`;
}
