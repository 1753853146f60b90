/** The proxy between a client and a server of MCP's revision 2026-07-28, the real packages on both sides. */
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { installedSdk, loadSdk } from "./installed-sdk.ts";
import { rule, type Workbench, workbench } from "./workbench.ts";

let bench: Workbench;
const opened: { close(): Promise<void> }[] = [];
beforeEach(() => {
  bench = workbench();
});
afterEach(async () => {
  for (const client of opened.splice(0)) await client.close();
  await bench.close();
});

const program = join(import.meta.dirname, "../../bin/holdfast");
const server = join(import.meta.dirname, "mcp-2-server.mjs");

/** `answers`: what the person says to each question, by a word in it; absent: the client cannot ask anybody. */
async function connected(answers?: Readonly<Record<string, object>>) {
  const { Client } = await loadSdk("mcp-2", "@modelcontextprotocol/client");
  const { StdioClientTransport } = await loadSdk("mcp-2", "@modelcontextprotocol/client/stdio");
  const loader = join(await installedSdk("mcp-2"), "node_modules/.holdfast/load.mjs");
  const capabilities = answers ? { elicitation: { form: {} } } : {};
  const client = new Client(
    { name: "loop", version: "1" },
    { capabilities, versionNegotiation: { mode: { pin: "2026-07-28" } } },
  );
  const asked: string[] = [];
  if (answers) {
    client.setRequestHandler("elicitation/create", ({ params }: { params: { message: string } }) => {
      asked.push(params.message);
      const [, answer] = Object.entries(answers).find(([word]) => params.message.includes(word)) ?? [];
      return answer ?? { action: "decline" };
    });
  }
  const args = [program, "mcp-proxy", "--", process.execPath, server, loader];
  const transport = new StdioClientTransport({ command: process.execPath, args, env: bench.env, cwd: bench.project });
  opened.push(client);
  await client.connect(transport);
  expect(client.getNegotiatedProtocolVersion()).toBe("2026-07-28");
  const call = (name: string, amount = 5) => client.callTool({ name, arguments: { amount } });
  return { call, asked };
}

const text = (words: string, more = {}) => ({ content: [{ type: "text", text: words }], ...more });
const YES = { action: "accept", content: {} };

describe("MCP 2026-07-28", () => {
  it("a call that nothing concerns passes, and hooks know the server by its name", async () => {
    const { call } = await connected();
    expect(await call("pay")).toMatchObject(text("paid 5"));
    const tools = bench.records("audit").flatMap(({ tool }) => (tool === undefined ? [] : [tool]));
    expect(new Set(tools)).toEqual(new Set(["mcp__shop__pay"]));
    expect(bench.records("audit")[0]).toMatchObject({ event: "session_start" });
  });

  it("a blocked call is a result that its client takes, with the reason", async () => {
    bench.configure(rule("mcp__shop__pay", "deny", "not from this account"));
    const { call } = await connected();
    expect(await call("pay")).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining("not from this account") }],
    });
  });

  it("a person is asked by an input_required result: yes runs the call once, no does not", async () => {
    bench.configure(rule("mcp__shop__pay", "ask", "is this fine?"));
    const yes = await connected({ "is this fine?": YES });
    expect(await yes.call("pay")).toMatchObject(text("paid 5"));
    expect(yes.asked).toEqual([expect.stringContaining("is this fine?")]);
    expect(yes.asked[0]).toContain('mcp__shop__pay {"amount":5}');
    const no = await connected({});
    expect(await no.call("pay")).toMatchObject({ isError: true });
    expect(no.asked).toHaveLength(1);
  });

  it("where the client cannot ask, the call is blocked with the question", async () => {
    bench.configure(rule("mcp__shop__pay", "ask", "is this fine?"));
    const { call } = await connected();
    expect(await call("pay")).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining("is this fine?") }],
    });
  });

  it("what the server itself needs is asked after ours, and a yes holds for all rounds of its call", async () => {
    bench.configure(rule("mcp__shop__order", "ask", "is this fine?"));
    const size = { action: "accept", content: { size: "XL" } };
    const { call, asked } = await connected({ "is this fine?": YES, "which size?": size });
    expect(await call("order")).toMatchObject(text("ordered 5 of XL after the-servers-own"));
    expect(asked).toEqual([expect.stringContaining("is this fine?"), "which size?"]);
  });
});
