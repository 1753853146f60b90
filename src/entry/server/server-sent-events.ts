/**
 * A stream of server-sent events to one reader. It holds a bounded number of events that the reader has not taken; whoever
 * is slower is told to read again, and let go of.
 */
import { randomBytes } from "node:crypto";
import type { JsonObject } from "../../core/json.ts";
import type { ServerContext } from "./context.ts";

export interface StreamReader {
  /** Asked as often as the stream says that it is there: whoever was signed out hears no more. */
  readonly isStillSignedIn: () => Promise<boolean>;
  readonly gone: AbortSignal;
  readonly onEnd: () => void;
}

/** Without an id: whoever loses the connection after it comes back with the id before it, and is told the same again. */
export type Send = (type: string, data: JsonObject, how?: { readonly hasId: boolean }) => void;

/**
 * Begins to send, at first what there is; `atEnd` is called when nobody hears any more. Whoever has much to send at once
 * waits for `room` in between: it leaves half of what a reader may be behind to the news that come meanwhile.
 */
export type Tell = (send: Send, atEnd: (work: () => void) => void, room: () => Promise<void>) => Promise<void>;

const MAX_WAITING = 256;

export function serverSentEvents(context: ServerContext, reader: StreamReader, tell: Tell): Response {
  const encoder = new TextEncoder();
  let end = () => {};
  let onRoom = () => {};
  let isCancelled = false;
  const stream = new ReadableStream<Uint8Array>(
    {
      // Nothing is pulled before this returns: it must not wait for what it tells.
      start(controller) {
        let isOver = false;
        const atEnd: (() => void)[] = [reader.onEnd];
        const hasRoom = () => isOver || (controller.desiredSize ?? 0) > MAX_WAITING / 2;
        const room = () =>
          new Promise<void>((resolve) => {
            onRoom = () => hasRoom() && resolve();
            onRoom();
          });
        const put = (text: string) => {
          if (isOver) return;
          if ((controller.desiredSize ?? 0) > 0) return controller.enqueue(encoder.encode(text));
          controller.enqueue(
            encoder.encode(eventText("overflow", null, { message: "read again: events were missed" })),
          );
          end();
        };
        const keepalive = setInterval(() => {
          reader.isStillSignedIn().then(
            (isSignedIn) => (isSignedIn ? put(": keepalive\n\n") : end()),
            // While the store is away nobody knows, and nothing is told either.
            () => put(": keepalive\n\n"),
          );
        }, context.keepaliveMs);
        const signals = [reader.gone, context.closing];
        end = () => {
          if (isOver) return;
          isOver = true;
          onRoom();
          clearInterval(keepalive);
          for (const work of atEnd) work();
          for (const signal of signals) signal.removeEventListener("abort", end);
          if (!isCancelled) controller.close();
        };
        for (const signal of signals) signal.addEventListener("abort", end, { once: true });
        if (signals.some(({ aborted }) => aborted)) return end();
        const send: Send = (type, data, { hasId } = { hasId: true }) =>
          put(eventText(type, hasId ? newEventId(context) : null, data));
        tell(send, (work) => (isOver ? work() : void atEnd.push(work)), room).catch((error: unknown) => {
          context.log(`an event stream could not begin: ${error instanceof Error ? error.message : String(error)}`);
          end();
        });
      },
      pull: () => onRoom(),
      cancel() {
        isCancelled = true;
        end();
      },
    },
    { highWaterMark: MAX_WAITING },
  );
  return new Response(stream, {
    headers: { "content-type": "text/event-stream; charset=utf-8", "x-accel-buffering": "no" },
  });
}

/** JSON has no line breaks in it. */
const eventText = (type: string, id: string | null, data: JsonObject) =>
  `${id === null ? "" : `id: ${id}\n`}event: ${type}\ndata: ${JSON.stringify(data)}\n\n`;

/** What another process sent, or did not, nobody here knows. */
const PROCESS = randomBytes(6).toString("hex");
let sent = 0;

/** It says when: whoever comes back with it is read what was missed since. */
function newEventId({ stores }: ServerContext): string {
  sent++;
  return `${stores.now().toISOString()}/${PROCESS}-${sent}`;
}

export interface EventIdRead {
  /** Undefined: it is no id of an event. */
  readonly sentAt: number | undefined;
  readonly isOfThisProcess: boolean;
}

export function readEventId(id: string): EventIdRead {
  const [, time = "", process] = /^(\d{4}-\d\d-\d\dT[\d:.]+Z)\/([0-9a-f]+)-\d+$/.exec(id) ?? [];
  const sentAt = Date.parse(time);
  return { sentAt: Number.isNaN(sentAt) ? undefined : sentAt, isOfThisProcess: process === PROCESS };
}
