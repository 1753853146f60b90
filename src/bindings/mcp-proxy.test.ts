import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import { describe, expect, it, vi } from "vitest";
import { defineHook } from "../custom/define-hook.ts";
import type { CodeHook } from "../embed/code-hooks.ts";
import { sceneForEachTest } from "../embed/embedded.fixture.ts";
import { proxyMcp } from "./mcp-proxy.ts";

// biome-ignore lint/suspicious/noExplicitAny: a message of any kind
type Message = any;

const scene = sceneForEachTest();
const PATIENCE = { timeout: 20_000 };
const initialize = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "c", version: "1" } };

interface Wire {
  /** What the server says to a request; undefined: nothing, for now. */
  readonly answer: (message: Message) => object | undefined;
  readonly name?: string;
  readonly hooks?: readonly CodeHook[];
}

async function wired({ answer, name, hooks = [] }: Wire) {
  const [client, towardsClient] = InMemoryTransport.createLinkedPair();
  const [towardsServer, server] = InMemoryTransport.createLinkedPair();
  const heard: Message[] = [];
  const asked: Message[] = [];
  const reply = (id: unknown, said: object) => server.send({ jsonrpc: "2.0", id, ...said } as never);
  client.onmessage = (message) => void heard.push(message);
  server.onmessage = (message: Message) => {
    asked.push(message);
    const said = answer(message);
    if (said && message.id !== undefined) void reply(message.id, said);
  };
  await client.start();
  await server.start();
  const holdfast = await scene.create({ hooks });
  const proxied = proxyMcp({
    session: holdfast.session(),
    client: towardsClient,
    server: towardsServer,
    ...(name === undefined ? {} : { name }),
  });
  const say = (message: object) => client.send({ jsonrpc: "2.0", ...message } as JSONRPCMessage);
  const answerTo = (id: number) =>
    vi.waitUntil(() => heard.find((message) => message.id === id && message.method === undefined), PATIENCE);
  const request = async (id: number, method: string, params: object): Promise<Message> => {
    await say({ id, method, params });
    return answerTo(id);
  };
  const wasAsked = (method: string) => vi.waitUntil(() => asked.find((message) => message.method === method), PATIENCE);
  return { request, say, reply, answerTo, wasAsked, client, asked, heard, proxied, holdfast };
}

const serving =
  (name: string, call: () => object | undefined = () => ({ result: { content: [] } })) =>
  ({ method }: Message) => {
    if (method === "initialize") return { result: { capabilities: {}, serverInfo: { name } } };
    if (method === "tools/list") return { result: { tools: [] } };
    return method === "tools/call" ? call() : undefined;
  };

describe("rules for a server hold whatever it and its tools are called", () => {
  const noOther = (server: string, method: string) =>
    defineHook({
      name: "no",
      on: ["pre_tool_use"],
      when: { tool: `mcp:${server}/**` },
      judge: ({ tool }) =>
        tool.kind === "mcp" && tool.server === server && tool.method === method ? { block: "not here" } : undefined,
    });

  it.each([
    ["crm", "x"],
    ["crm__eu", "x"],
    ["crm_", "x"],
    ["_crm", "x"],
    ["crm", "_x__y"],
    ["crm", "x\ny"],
    ["crm", ""],
  ])("server %j, tool %j", async (server, tool) => {
    for (const name of [server, undefined]) {
      const hooks = [noOther(server, tool)];
      const { request, asked, client, proxied } = await wired({
        answer: serving(server),
        hooks,
        ...(name ? { name } : {}),
      });
      await request(1, "initialize", initialize);
      const { result } = await request(2, "tools/call", { name: tool, arguments: {} });
      expect(result).toMatchObject({ isError: true, content: [{ text: expect.stringContaining("not here") }] });
      expect(asked.map(({ method }) => method)).not.toContain("tools/call");
      await client.close();
      await proxied;
    }
  });

  it("also after a hook rewrote the call", async () => {
    const rewrites = defineHook({ name: "rewrites", on: ["pre_tool_use"], judge: () => ({ rewrite: { a: 1 } }) });
    const hooks = [noOther("crm__eu", "x"), rewrites];
    const { request } = await wired({ answer: serving("crm__eu"), hooks });
    await request(1, "initialize", initialize);
    const { result } = await request(2, "tools/call", { name: "x", arguments: { a: 0 } });
    expect(result).toMatchObject({ isError: true, content: [{ text: expect.stringContaining("not here") }] });
  });
});

it("the list of tools that two calls wait for does not hang on the one that is cancelled", async () => {
  const answer = (message: Message) => (message.method === "tools/list" ? undefined : serving("crm")(message));
  const { request, say, reply, answerTo, wasAsked } = await wired({ answer });
  await request(1, "initialize", initialize);
  for (const id of [2, 3]) await say({ id, method: "tools/call", params: { name: "x", arguments: {} } });
  const list = await wasAsked("tools/list");
  await say({ method: "notifications/cancelled", params: { requestId: 2 } });
  await sleep(20);
  await reply(list.id, { result: { tools: [] } });
  expect(await answerTo(3)).toMatchObject({ result: { content: [] } });
  expect((await answerTo(3)).result.isError).toBeUndefined();
});

it("a session ends after its calls: what they were is recorded before, and no journal stays locked", async () => {
  const slow = defineHook({ name: "slow", on: ["post_tool_use"], judge: () => sleep(150).then(() => {}) });
  const { request, say, wasAsked, client, proxied, holdfast } = await wired({
    answer: serving("crm", () => undefined),
    hooks: [slow],
  });
  await request(1, "initialize", initialize);
  await say({ id: 2, method: "tools/call", params: { name: "x", arguments: {} } });
  await wasAsked("tools/call");
  await client.close();
  expect(await proxied).toBe("client");
  await holdfast.close();
  const events = scene.records("audit").map(({ event }) => event);
  expect(events).toEqual(["session_start", "pre_tool_use", "post_tool_use", "session_end"]);
  expect(existsSync(join(scene.project, ".holdfast/tracking/audit.jsonl.lock"))).toBe(false);
});
