/** A program that reads the stream of events. */
import { expect } from "vitest";
import { PUBLIC_URL, type TestServer } from "./server.fixture.ts";

export interface Heard {
  readonly id: string;
  readonly event: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects.
  readonly data: any;
}

/** Reads a stream until `isEnough`, then lets go of it. */
export async function listened(
  server: TestServer,
  headers: Record<string, string>,
  isEnough: (heard: readonly Heard[]) => boolean,
  meanwhile: (heard: readonly Heard[]) => Promise<void> = async () => {},
  query = "",
) {
  const abort = new AbortController();
  const response = await server.app.request(new URL(`/api/events${query}`, PUBLIC_URL), {
    headers: { host: "127.0.0.1:4173", ...headers },
    signal: abort.signal,
  });
  expect(response.headers.get("content-type")).toContain("text/event-stream");
  const heard: Heard[] = [];
  let text = "";
  let isReady = false;
  const reader = response.body?.pipeThrough(new TextDecoderStream() as never).getReader();
  for (;;) {
    const part = await reader?.read();
    if (!part || part.done) break;
    text += part.value as unknown as string;
    const blocks = text.split("\n\n");
    text = blocks.pop() ?? "";
    for (const block of blocks) {
      const field = (name: string) => new RegExp(`^${name}: (.*)$`, "m").exec(block)?.[1] ?? "";
      if (block.startsWith(":")) heard.push({ id: "", event: "keepalive", data: null });
      else heard.push({ id: field("id"), event: field("event"), data: JSON.parse(field("data")) });
    }
    if (!isReady && heard.some(({ event }) => event === "ready")) {
      isReady = true;
      await meanwhile(heard);
    }
    if (isEnough(heard)) break;
  }
  abort.abort();
  await reader?.cancel();
  return heard;
}

export const has =
  (...events: string[]) =>
  (heard: readonly Heard[]) =>
    events.every((event) => heard.some((one) => one.event === event));
