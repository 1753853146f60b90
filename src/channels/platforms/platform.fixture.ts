/** What every simulated platform is: a server on loopback that refuses what the real one refuses, and people who click. */
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import type { VoteKind } from "../../approvals/approval.ts";
import type { CallbackAnswer, ChannelType } from "../../approvals/channel.ts";
import type { CallbackRequest } from "../routes.ts";
import type { ChannelConfig } from "../settings.ts";

/** A request to us, without the channel it goes to. */
export type PlatformCallback = Omit<CallbackRequest, "channel">;

export interface ClickWish {
  readonly approval: string;
  readonly decision: VoteKind;
  readonly user: string;
  readonly at?: Date;
  /** Signed by somebody who does not know the secret. */
  readonly isForged?: boolean;
}

export interface ShownCard {
  /** All a person can read of it. */
  readonly text: string;
  readonly title: string;
  /** What its buttons decide. */
  readonly buttons: readonly { readonly approval: string; readonly decision: string }[];
  readonly colour: string | null;
  readonly updates: number;
  /** As it was sent. */
  readonly raw: unknown;
}

export interface SimulatedPlatform {
  readonly type: ChannelType;
  readonly config: ChannelConfig;
  /** A changed body shows. Feishu with a token alone has nothing but the token. */
  readonly isSigned: boolean;
  /** Every secret in the settings: none may show up anywhere. */
  readonly secrets: readonly string[];
  /** The cards as they are now, in the order they came. */
  cards(): readonly ShownCard[];
  /** Messages that are no cards, and words to single people. */
  messages(): readonly string[];
  tokensFetched(): number;
  /** From now on no access token given before is taken. */
  forgetTokens(): void;
  /** The next `count` calls fail: for now, or for good. */
  failNext(count: number, how: "passing" | "final"): void;
  failuresLeft(): number;
  click(wish: ClickWish): PlatformCallback;
  challenge(at?: Date): { readonly callback: PlatformCallback; readonly expected: string } | undefined;
  /** Genuine, but about nothing we know. */
  stranger(at?: Date): PlatformCallback;
  identityOf(user: string, channel: string): string;
  /** What the person who clicked is told at once; null: this platform tells later, in a message. */
  toastIn(answer: CallbackAnswer): string | null;
  close(): Promise<void>;
}

export interface Incoming {
  readonly method: string;
  readonly url: URL;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

export interface Reply {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly body: unknown;
}

export async function listening(answer: (request: Incoming) => Reply | Promise<Reply>) {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const url = new URL(request.url ?? "/", "http://localhost");
    const body = Buffer.concat(chunks).toString("utf8");
    const reply = await answer({ method: request.method ?? "", url, headers: request.headers, body });
    response.writeHead(reply.status ?? 200, { "content-type": "application/json", ...reply.headers });
    response.end(typeof reply.body === "string" ? reply.body : JSON.stringify(reply.body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

export const secondsOf = (at: Date) => String(Math.floor(at.getTime() / 1000));

/** All strings in a value, one per line: what a person might read. */
export function textsIn(value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value !== "object" || value === null) return "";
  return Object.values(value).map(textsIn).filter(Boolean).join("\n");
}

/** Every object in a value, itself included. */
export function objectsIn(value: unknown): Record<string, unknown>[] {
  if (typeof value !== "object" || value === null) return [];
  const inside = Object.values(value).flatMap(objectsIn);
  return Array.isArray(value) ? inside : [value as Record<string, unknown>, ...inside];
}

/** Fails as told, a number of times. */
export function failures() {
  let left = 0;
  let how: "passing" | "final" = "passing";
  return {
    failNext(count: number, kind: "passing" | "final") {
      left = count;
      how = kind;
    },
    failuresLeft: () => left,
    take(): "passing" | "final" | undefined {
      if (left === 0) return undefined;
      left--;
      return how;
    },
  };
}
