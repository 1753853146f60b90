import type { ServerResponse } from "node:http";

export function sendJson(response: ServerResponse, body: object, status = 200): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

export interface ServerSentEvent {
  readonly event?: string;
  readonly data: string;
}

export function sendEvents(response: ServerResponse, events: readonly ServerSentEvent[]): void {
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  for (const { event, data } of events) {
    response.write(`${event === undefined ? "" : `event: ${event}\n`}data: ${data}\n\n`);
  }
  response.end();
}
