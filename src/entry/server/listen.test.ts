import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { draftOf } from "../../approvals/approval.fixture.ts";
import { memoryStores } from "../../stores/memory.ts";
import { assertSafePlace, type ListenSettings, listen, PATIENCE } from "./listen.ts";
import { PEOPLE } from "./server.fixture.ts";
import { startSession } from "./sessions.ts";

async function listening(settings: Partial<ListenSettings> = {}) {
  const stores = memoryStores();
  for (const person of PEOPLE) await stores.putPerson(person);
  const server = await listen({ stores, host: "127.0.0.1", port: 0, ...settings });
  let isClosed = false;
  const close = async () => {
    if (!isClosed) await server.close();
    isClosed = true;
  };
  onTestFinished(close);
  const [, bob] = PEOPLE;
  if (!bob) throw new Error("he is in the fixture");
  const cookie = `holdfast=${await startSession(stores, bob)}`;
  const { port } = new URL(server.url);
  return { ...server, stores, cookie, port: Number(port), close };
}

/** A connection of which every byte can be said. */
async function raw(port: number): Promise<{ socket: Socket; heard: () => string; ended: Promise<void> }> {
  const socket = connect(port, "127.0.0.1");
  let text = "";
  socket.on("data", (chunk) => {
    text += String(chunk);
  });
  socket.on("error", () => {});
  const ended = new Promise<void>((resolve) => socket.on("close", () => resolve()));
  await new Promise((resolve) => socket.once("connect", resolve));
  onTestFinished(() => void socket.destroy());
  return { socket, heard: () => text, ended };
}

/** Reads a stream as it comes. */
function textReader({ body }: Response) {
  const reader = body?.pipeThrough(new TextDecoderStream() as never).getReader();
  let text = "";
  const more = async () => {
    const part = await reader?.read();
    text += (part?.value as string | undefined) ?? "";
    return part?.done === false;
  };
  return {
    async until(words: string) {
      while (!text.includes(words)) if (!(await more())) throw new Error(`it ended after: ${text}`);
    },
    async end() {
      while (await more());
    },
  };
}

describe("slow and strange clients", () => {
  // Long enough for others, who are served by this very process.
  const patience = { ...PATIENCE, headersMs: 1_000, requestMs: 2_000 };

  it("a client that sends its headers byte by byte is let go of, and others are served meanwhile", async () => {
    const server = await listening({ patience });
    const slow = await Promise.all(Array.from({ length: 20 }, () => raw(server.port)));
    for (const { socket } of slow) socket.write("GET /api/health HTTP/1.1\r\nHost: x\r\n");
    const dripping = setInterval(() => {
      for (const { socket } of slow) if (!socket.destroyed) socket.write("X");
    }, 50);
    onTestFinished(() => clearInterval(dripping));
    expect((await fetch(`${server.url}/api/health`)).status).toBe(200);
    await Promise.all(slow.map(({ ended }) => ended));
    expect(slow.every(({ heard }) => heard() === "" || heard().startsWith("HTTP/1.1 408"))).toBe(true);
  });

  it("one that says nothing, or never ends its body, too", async () => {
    const server = await listening({ patience });
    const [silent, endless] = [await raw(server.port), await raw(server.port)];
    const host = `127.0.0.1:${server.port}`;
    endless.socket.write(
      `POST /api/sign-out HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{`,
    );
    const dripping = setInterval(() => void (endless.socket.destroyed || endless.socket.write(" ")), 50);
    onTestFinished(() => clearInterval(dripping));
    await Promise.all([silent.ended, endless.ended]);
  });

  it("headers of more than 16 KiB, two lengths and a length with chunks are refused", async () => {
    const server = await listening();
    const host = `Host: 127.0.0.1:${server.port}\r\n`;
    const requests = [
      `GET /api/health HTTP/1.1\r\n${host}X: ${"x".repeat(20_000)}\r\n\r\n`,
      `POST /api/sign-out HTTP/1.1\r\n${host}Content-Length: 1\r\nContent-Length: 2\r\n\r\nxx`,
      `POST /api/sign-out HTTP/1.1\r\n${host}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      `GET /api/health HTTP/1.1\r\n${host}X: a\rb\r\n\r\n`,
    ];
    for (const request of requests) {
      const { socket, heard, ended } = await raw(server.port);
      socket.write(request);
      await ended;
      expect(heard()).toMatch(/^HTTP\/1\.1 4(00|31)/);
    }
  });

  it("a body that goes on and on is refused before it has all come", async () => {
    const server = await listening();
    const { socket, heard, ended } = await raw(server.port);
    socket.write(
      `POST /api/channels/C-1/callback HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nCookie: ${server.cookie}\r\nOrigin: ${server.url}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`,
    );
    const chunk = `${(65_536).toString(16)}\r\n${"x".repeat(65_536)}\r\n`;
    let sent = 0;
    while (!socket.destroyed && heard() === "" && sent < 200) {
      socket.write(chunk);
      sent++;
      await sleep(2);
    }
    socket.end();
    await ended;
    expect(heard()).toMatch(/^HTTP\/1\.1 (4\d\d)/);
    expect(sent).toBeLessThan(200);
  });
});

describe("the end of a server", () => {
  it("ends streams and waits cleanly, refuses new connections, and leaves what is pending as it is", async () => {
    const server = await listening();
    const { cookie } = server;
    const { approvals } = server.server.context;
    const { id } = await approvals.request(draftOf({ organisation: "acme" }));
    const watches = vi.spyOn(server.stores, "watch");
    const events = await fetch(`${server.url}/api/events`, { headers: { cookie } });
    const heard = textReader(events);
    await heard.until("event: ready");
    const waiting = fetch(`${server.url}/api/approvals/${id}/wait?version=1`, { headers: { cookie } });
    await expect.poll(() => watches.mock.calls.map(([which]) => which)).toContain(id);
    const closing = server.close();
    await heard.end();
    const waited = await waiting;
    expect([waited.status, ((await waited.json()) as { status: string }).status]).toEqual([200, "pending"]);
    await closing;
    await expect(fetch(`${server.url}/api/health`)).rejects.toThrow();
    expect((await server.stores.get(id))?.status).toBe("pending");
  });

  it("a client that goes away frees its stream", async () => {
    const server = await listening();
    const listens = async (signal: AbortSignal) =>
      fetch(`${server.url}/api/events`, { headers: { cookie: server.cookie }, signal });
    for (let count = 0; count < 40; count++) {
      const one = new AbortController();
      let response = await listens(one.signal);
      // The server hears of those who went a moment later.
      for (; response.status === 429; response = await listens(one.signal)) {
        await response.text();
        await sleep(10);
      }
      expect(response.status).toBe(200);
      await response.body?.getReader().read();
      one.abort();
    }
  });
});

describe("where it may listen", () => {
  const tls = { cert: "c", key: "k" };
  it.each<[string, Parameters<typeof assertSafePlace>[0]]>([
    ["this machine", { host: "127.0.0.1" }],
    ["this machine by name", { host: "localhost", publicUrl: "http://localhost:4560" }],
    ["this machine, IPv6", { host: "::1" }],
    ["elsewhere with TLS", { host: "10.0.0.1", tls }],
    ["everywhere with TLS and a name", { host: "0.0.0.0", tls, publicUrl: "https://holdfast.example.com" }],
    ["behind a proxy", { host: "0.0.0.0", isBehindProxy: true, publicUrl: "https://holdfast.example.com" }],
  ])("%s", (_what, place) => {
    expect(() => assertSafePlace(place)).not.toThrow();
  });

  it.each<[string, Parameters<typeof assertSafePlace>[0]]>([
    ["elsewhere without TLS", { host: "0.0.0.0" }],
    ["a name that only looks like this machine", { host: "127.0.0.1.evil.example" }],
    ["elsewhere, with an address that promises TLS but no proxy", { host: "10.0.0.1", publicUrl: "https://h.example" }],
    ["behind a proxy without an address", { host: "0.0.0.0", isBehindProxy: true }],
    ["behind a proxy without TLS", { host: "127.0.0.1", isBehindProxy: true, publicUrl: "http://h.example" }],
    ["everywhere with TLS but no name", { host: "0.0.0.0", tls }],
    ["an address in clear text", { host: "127.0.0.1", publicUrl: "http://holdfast.example.com" }],
    ["an address with a path", { host: "127.0.0.1", publicUrl: "https://holdfast.example.com/inbox" }],
    ["an address that is none", { host: "127.0.0.1", publicUrl: "holdfast" }],
  ])("not %s", (_what, place) => {
    expect(() => assertSafePlace(place)).toThrow(expect.objectContaining({ code: "HF918" }));
  });

  it("a port that is taken is said", async () => {
    const { port } = await listening();
    await expect(listening({ port })).rejects.toMatchObject({ code: "HF918" });
  });
});
