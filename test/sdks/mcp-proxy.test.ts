import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import {
  CallToolRequestSchema,
  ElicitRequestSchema,
  ListToolsRequestSchema,
  ToolListChangedNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Approvals } from "../../src/approvals/service.ts";
import { proxyMcp } from "../../src/bindings/mcp-proxy.ts";
import { defineHook } from "../../src/custom/define-hook.ts";
import { openStores } from "../../src/stores/open.ts";
import { conformance } from "./conformance.ts";
import type { Driver, ScriptedTool } from "./driver.ts";
import { rule, type Workbench, workbench } from "./workbench.ts";

const NOT_A_SERVERS = "a server hears of tool calls only";

/** The loop of an agent whose tools all come from an MCP server behind the proxy. */
const driver: Driver = {
  name: "MCP proxy",
  history: "original",
  lacks: {
    "see a shell command": "its tools are of kind mcp: rules are written on their name and input",
    "block a prompt": NOT_A_SERVERS,
    "prompt context": NOT_A_SERVERS,
    "two messages at once": NOT_A_SERVERS,
    "change a call": "a program changes a call before it reaches the proxy, and what reaches it is judged",
    suspend: "a person is asked by elicitation while the call waits; otherwise it is blocked",
    "continue a stop": NOT_A_SERVERS,
    delegation: NOT_A_SERVERS,
    "rewrite a delegation": NOT_A_SERVERS,
  },
  async run({ session, prompt, script, tools }) {
    const [ours, client] = InMemoryTransport.createLinkedPair();
    const [upstream, server] = InMemoryTransport.createLinkedPair();
    await serverOf(tools).connect(server);
    const proxied = proxyMcp({ session, client, server: upstream, name: "bench" });
    const mcp = new Client({ name: "loop", version: "1" });
    await mcp.connect(ours);
    const history = [prompt];
    const modelSaw: string[] = [];
    let answer = "";
    for (const step of script) {
      modelSaw.push(history.join("\n"));
      if ("text" in step) {
        answer = step.text;
        break;
      }
      history.push(JSON.stringify(step));
      const results = step.calls.map(({ name, input }) => mcp.callTool({ name, arguments: input }));
      for (const result of await Promise.all(results)) history.push(JSON.stringify(result));
    }
    await mcp.close();
    expect(await proxied).toBe("client");
    return { modelSaw, subAgentSaw: [], answer };
  },
};

function serverOf(tools: readonly ScriptedTool[]): Server {
  const server = new Server({ name: "bench", version: "1" }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: tools.map(({ name, description, parameters }) => ({
      name,
      description,
      inputSchema: { ...parameters, type: "object" as const },
    })),
  }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
    const tool = tools.find(({ name }) => name === params.name);
    try {
      const output = await tool?.run((params.arguments ?? {}) as never);
      return { content: [{ type: "text", text: typeof output === "string" ? output : JSON.stringify(output) }] };
    } catch (error) {
      return { content: [{ type: "text", text: (error as Error).message }], isError: true };
    }
  });
  return server;
}

conformance(driver);

const root = join(import.meta.dirname, "../..");

describe("holdfast mcp-proxy, between a real client and a real server", () => {
  let bench: Workbench;
  const clients: Client[] = [];
  beforeEach(() => {
    bench = workbench();
  });
  afterEach(async () => {
    for (const client of clients.splice(0)) await client.close();
    await bench.close();
  });

  /** The server of fixtures/mcp-server.mjs behind `holdfast mcp-proxy`, with a client that may be asked. */
  async function connect(rules: string, person?: (message: string) => "accept" | "decline"): Promise<Client> {
    bench.configure(rules);
    const capabilities = person ? { elicitation: {} } : {};
    const client = new Client({ name: "real", version: "1" }, { capabilities });
    if (person) client.setRequestHandler(ElicitRequestSchema, ({ params }) => ({ action: person(params.message) }));
    const args = ["mcp-proxy", "--name", "lab", "--", process.execPath, join(root, "test/sdks/mcp-server.mjs")];
    const env = Object.fromEntries(Object.entries(bench.env).map(([name, value]) => [name, value ?? ""]));
    await client.connect(
      new StdioClientTransport({ command: join(root, "bin/holdfast"), args, cwd: bench.project, env }),
    );
    clients.push(client);
    return client;
  }

  const textsOf = (result: unknown) =>
    (result as { content: { text?: string }[] }).content.map(({ text }) => text ?? "").join("\n");

  it("a call that waits for people is alive to its client, and runs after their yes", async () => {
    bench.configure("approvals:\n  - { when: { tool: mcp__bench__pay } }\n");
    const stores = await openStores({ url: join(bench.env.HOLDFAST_STATE_DIR ?? "", "approvals", "approvals.db") });
    const [ours, towardsClient] = InMemoryTransport.createLinkedPair();
    const [upstream, server] = InMemoryTransport.createLinkedPair();
    const parameters = { type: "object", properties: {} };
    await serverOf([{ name: "pay", description: "", parameters, run: () => "paid" }]).connect(server);
    const session = await bench.session({});
    const proxied = proxyMcp({ session, client: towardsClient, server: upstream, name: "bench", progressMs: 20 });
    const client = new Client({ name: "loop", version: "1" });
    await client.connect(ours);
    let heard = 0;
    const vote = async () => {
      const { approvals } = await stores.list({ organisation: "personal", limit: 1 });
      const person = { id: "ada", organisation: "personal", name: "Ada", roles: ["approver"] };
      const ballot = { person, kind: "approve" as const, reason: "", via: "web" };
      await new Approvals(stores).vote(approvals[0]?.id ?? "", ballot);
    };
    const onprogress = () => {
      heard += 1;
      if (heard % 10 === 0) void vote();
    };
    expect(textsOf(await client.callTool({ name: "pay" }, undefined, { onprogress }))).toBe("paid");
    expect(heard).toBeGreaterThanOrEqual(10);
    await client.close();
    await proxied;
    await stores.close();
  });

  it("a rule on the name of a server's tool blocks it, and the audit says so", async () => {
    const client = await connect(rule("^mcp:lab/add$", "deny", "no sums"));
    await client.listTools();
    const result = await client.callTool({ name: "add", arguments: { a: 1, b: 2 } });
    expect(result.isError).toBe(true);
    expect(textsOf(result)).toContain("no sums");
    expect(textsOf(await client.callTool({ name: "calls" }))).toBe("[]");
    expect(bench.records("audit").map(({ event, decision }) => [event, decision])).toEqual([
      ["session_start", "none"],
      ["pre_tool_use", "block"],
      ["pre_tool_use", "none"],
      ["post_tool_use", "none"],
    ]);
  });

  it("everything else passes untouched: structure, errors, resources, prompts, progress, changes of the list", async () => {
    const client = await connect("");
    const changed = new Promise<void>((resolve) => {
      client.setNotificationHandler(ToolListChangedNotificationSchema, () => resolve());
    });
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toContain("add");
    expect(await client.callTool({ name: "add", arguments: { a: 1, b: 2 } })).toMatchObject({
      structuredContent: { sum: 3 },
    });
    await expect(client.callTool({ name: "unknown" })).rejects.toThrow("no tool unknown");
    expect((await client.readResource({ uri: "lab://one" })).contents).toMatchObject([{ text: "first" }]);
    expect((await client.getPrompt({ name: "hello" })).messages).toHaveLength(1);
    const progress: number[] = [];
    await client.callTool({ name: "slow" }, undefined, { onprogress: (step) => progress.push(step.progress) });
    expect(progress).toEqual([1, 2, 3]);
    await client.callTool({ name: "change" });
    await changed;
  });

  it("a call that is cancelled is cancelled in the server too", async () => {
    const client = await connect("");
    const cancel = new AbortController();
    const waiting = client.callTool({ name: "wait" }, undefined, { signal: cancel.signal });
    await expect.poll(async () => textsOf(await client.callTool({ name: "calls" }))).toContain("wait");
    cancel.abort();
    await expect(waiting).rejects.toThrow();
    await expect.poll(async () => textsOf(await client.callTool({ name: "cancelled" }))).toBe("1");
  });

  it("a person is asked by elicitation: yes runs the call, no does not", async () => {
    const asked: string[] = [];
    const rules = rule("^mcp:lab/add$", "ask", "may it add?");
    const client = await connect(rules, (message) => {
      asked.push(message);
      return asked.length === 1 ? "accept" : "decline";
    });
    const add = () => client.callTool({ name: "add", arguments: { a: 1, b: 2 } });
    expect(await add()).toMatchObject({ structuredContent: { sum: 3 } });
    expect(await add()).toMatchObject({ isError: true });
    expect(asked[0]).toContain("may it add?");
    expect(asked[0]).toContain('"b":2');
  });

  it("a server that does not start is said so, with the next step", () => {
    const env = bench.env as NodeJS.ProcessEnv;
    const options = { cwd: bench.project, env, encoding: "utf8", input: "" } as const;
    const { status, stderr } = spawnSync(join(root, "bin/holdfast"), ["mcp-proxy", "--", "no-such-server"], options);
    expect(status).toBe(3);
    expect(stderr).toContain('there is no program "no-such-server"');
  });
});

describe("the traps of MCP (sdks.md 27 and 29.11)", () => {
  let bench: Workbench;
  beforeEach(() => {
    bench = workbench();
  });
  afterEach(() => bench.close());

  /** A tool with structured output, called through the proxy by a client that knows its schema. */
  async function lookUp(rewrite: (response: unknown) => unknown, outputSchema: boolean) {
    const hooks = [
      defineHook({
        name: "redacts",
        on: ["post_tool_use"],
        judge: ({ response }) => ({ rewrite: rewrite(response) as never }),
      }),
    ];
    const session = await bench.session({ hooks });
    const server = new Server({ name: "s", version: "1" }, { capabilities: { tools: {} } });
    const schema = { type: "object" as const, properties: { key: { type: "string" } }, required: ["key"] };
    server.setRequestHandler(ListToolsRequestSchema, () => ({
      tools: [
        { name: "look", inputSchema: { type: "object" as const }, ...(outputSchema ? { outputSchema: schema } : {}) },
      ],
    }));
    server.setRequestHandler(CallToolRequestSchema, () => ({
      content: [{ type: "text", text: '{"key":"s3cret"}' }],
      structuredContent: { key: "s3cret" },
    }));
    const [ours, client] = InMemoryTransport.createLinkedPair();
    const [upstream, downstream] = InMemoryTransport.createLinkedPair();
    await server.connect(downstream);
    const proxied = proxyMcp({ session, client, server: upstream });
    const mcp = new Client({ name: "c", version: "1" });
    await mcp.connect(ours);
    await mcp.listTools();
    const result = await mcp.callTool({ name: "look" });
    await mcp.close();
    await proxied;
    expect(JSON.stringify(result)).not.toContain("s3cret");
    return result;
  }

  const hidden = (value: unknown) => JSON.parse(JSON.stringify(value).replaceAll("s3cret", "***"));

  it("a redaction of the whole result keeps its structure", async () => {
    expect(await lookUp(hidden, true)).toMatchObject({ structuredContent: { key: "***" } });
  });

  it("where a hook hides a secret in content only, structuredContent does not leak it", async () => {
    const onlyContent = (response: unknown) => ({ ...(response as object), content: [{ type: "text", text: "***" }] });
    expect(await lookUp(onlyContent, false)).toEqual({ content: [{ type: "text", text: "***" }] });
    expect(await lookUp(onlyContent, true)).toEqual({ content: [{ type: "text", text: "***" }], isError: true });
  });

  it("where a hook hides it in structuredContent only, content follows", async () => {
    const onlyStructure = (response: unknown) => ({ ...(response as object), structuredContent: { key: "***" } });
    const result = await lookUp(onlyStructure, true);
    expect(result).toEqual({ content: [{ type: "text", text: '{"key":"***"}' }], structuredContent: { key: "***" } });
  });

  it("a text in place of a structured result is an error the client can read, not one it throws", async () => {
    expect(await lookUp(() => "nothing to see", true)).toMatchObject({ isError: true });
    expect(await lookUp(() => '{"key":"***"}', true)).toMatchObject({ structuredContent: { key: "***" } });
  });
});
