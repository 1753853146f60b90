import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { MCP_SERVER_NAME, mcpServerEntry } from "../../src/hosts/mcp-servers-file.ts";
import { HOLDFAST, scratchRepository } from "./project.fixture.ts";

let repository: ReturnType<typeof scratchRepository>;
let clients: Client[];

beforeEach(() => {
  repository = scratchRepository();
  clients = [];
});
afterEach(async () => {
  await Promise.all(clients.map((client) => client.close()));
  repository.remove();
});

async function connect(cwd = repository.root): Promise<Client> {
  const client = new Client({ name: "test", version: "1" });
  const { command, args } = mcpServerEntry(HOLDFAST);
  await client.connect(new StdioClientTransport({ command, args: [...args], cwd, env: repository.env }));
  clients.push(client);
  return client;
}

/** What a tool answered, after checking that its text and its structured content say the same. */
async function call(client: Client, name: string, input: Record<string, unknown> = {}) {
  const result = (await client.callTool({ name, arguments: input })) as CallToolResult;
  const [block] = result.content;
  if (block?.type !== "text") throw new Error("no text");
  const value = JSON.parse(block.text);
  expect(block.text).toBe(JSON.stringify(value, null, 2));
  expect(result.structuredContent).toEqual(value);
  expect(result.isError === true).toBe(value.error === true);
  return value;
}

const SHOP = { name: "shop", phase: "01-login", phases_total: 2 };
const TOOL_NAMES = [
  "state_get",
  "state_init",
  "state_transition",
  "state_add_blocker",
  "state_resolve_blocker",
  "state_advance_phase",
  "plans_list",
  "status",
  "config_get",
  "config_init",
];

describe("holdfast mcp", () => {
  it("says who it is and lists ten tools, each with a schema and when to use it", async () => {
    const client = await connect();
    expect(client.getServerVersion()).toMatchObject({ name: MCP_SERVER_NAME, version: "0.1.0" });
    expect(client.getInstructions()).toContain("state_get");
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(TOOL_NAMES);
    for (const { description, inputSchema, annotations } of tools) {
      expect(description?.length).toBeGreaterThan(60);
      expect(inputSchema).toMatchObject({ type: "object", additionalProperties: false });
      expect(annotations?.readOnlyHint).toBeTypeOf("boolean");
    }
    const init = tools.find(({ name }) => name === "state_init");
    expect(init?.inputSchema.required).toEqual(["name", "phase", "phases_total"]);
  });

  it("walks a project from its start into its second phase", async () => {
    const client = await connect();
    expect(await call(client, "state_init", SHOP)).toMatchObject({ current: { step: "specced", status: "idle" } });
    expect(await call(client, "config_init")).toMatchObject({ execution: { max_wave_parallelism: 4 } });
    expect(await call(client, "config_get")).toEqual(await call(client, "config_init"));
    for (const step of ["discussed", "designed", "planned", "executing"])
      await call(client, "state_transition", { step });
    repository.write(".holdfast/phases/01-login/plans/001.md", `+++\nplan = 1\nwave = 1\ntitle = "form"\n+++\n`);
    repository.write(".holdfast/phases/01-login/plans/001-task-1-spec-review.md", "fine");
    expect(await call(client, "plans_list")).toEqual({
      phase: "01-login",
      plans: [
        {
          file: "001.md",
          plan: 1,
          wave: 1,
          title: "form",
          type: "execute",
          depends_on: [],
          requirements: [],
          complete: false,
        },
      ],
      total: 1,
    });
    expect(await call(client, "state_add_blocker", { phase: "01-login", reason: "no API key" })).toMatchObject({
      current: { status: "blocked" },
    });
    expect(await call(client, "status")).toMatchObject({
      current_step: "executing",
      active_blockers: 1,
      current_phase_plans: 1,
    });
    expect(await call(client, "state_transition", { step: "executed" })).toMatchObject({ code: "OPEN_BLOCKERS" });
    expect(await call(client, "state_resolve_blocker", { phase: "01-login" })).toMatchObject({
      current: { status: "idle" },
    });
    for (const step of ["executed", "complete", "shipped"]) await call(client, "state_transition", { step });
    await call(client, "state_advance_phase", { phase: "02-cart", phases_total: 2 });
    expect(await call(client, "state_get")).toMatchObject({
      current: { phase: "02-cart", step: "specced", status: "idle" },
      progress: { phases_complete: 1 },
      blockers: [{ reason: "no API key", resolved: true }],
    });
  });

  it("K-44 answers errors as isError with code and message, for state and for arguments", async () => {
    const client = await connect();
    const code = async (name: string, input?: Record<string, unknown>) => {
      const { error, code, message } = await call(client, name, input);
      expect(error).toBe(true);
      expect(message.length).toBeGreaterThan(10);
      return code;
    };
    for (const name of ["state_get", "status", "plans_list", "state_resolve_blocker"])
      expect(await code(name)).toBe("STATE_NOT_FOUND");
    expect(await code("state_transition", { step: "designed" })).toBe("STATE_NOT_FOUND");
    expect(await code("state_init", { ...SHOP, phase: "../../etc" })).toBe("INVALID_PHASE");
    expect(await code("state_init", { ...SHOP, phases_total: "three" })).toBe("INVALID_INPUT");
    expect(await code("state_init", { name: "shop" })).toBe("INVALID_INPUT");
    await call(client, "state_init", SHOP);
    expect(await code("state_init", SHOP)).toBe("INIT_ERROR");
    expect(await code("state_transition", { step: "shiped" })).toBe("UNKNOWN_STEP");
    expect(await code("state_transition", { step: "shipped" })).toBe("INVALID_TRANSITION");
    expect(await code("state_transition", { step: "designed", phaze: "02" })).toBe("INVALID_INPUT");
    expect(await code("state_advance_phase", { phase: "02", phases_total: 2 })).toBe("INVALID_TRANSITION");
    expect(await code("state_resolve_blocker", { phase: "01-login" })).toBe("BLOCKER_NOT_FOUND");
    expect(await code("plans_list")).toBe("NO_PLANS");
    expect(await code("plans_list", { phase: "../plans" })).toBe("INVALID_PHASE");
    repository.write(".holdfast/workflow.toml", "= x");
    expect(await code("config_get")).toBe("INVALID_CONFIG");
    expect(await code("config_init")).toBe("INVALID_CONFIG");
    repository.write(".holdfast/state.toml", "= x");
    expect(await code("state_get")).toBe("INVALID_STATE");
  });

  it("a tool or prompt that is not there is a protocol error that names the nearest", async () => {
    const client = await connect();
    await expect(client.callTool({ name: "state_gett" })).rejects.toThrow("Did you mean state_get?");
    await expect(client.getPrompt({ name: "desing" })).rejects.toThrow("Did you mean design?");
    await expect(client.getPrompt({ name: "design", arguments: { phase: "../x" } })).rejects.toThrow(
      "cannot name a phase",
    );
  });

  it("K-45 lists twelve prompts and gives each as one message of the user, the phase in it", async () => {
    const client = await connect();
    const { prompts } = await client.listPrompts();
    expect(prompts.map(({ name }) => name).sort()).toEqual(
      ["spec", "init", "design", "plan", "review", "exec", "verify", "ship", "next", "status", "discuss", "map"].sort(),
    );
    const withPhase = prompts.filter((prompt) => (prompt.arguments ?? []).some(({ name }) => name === "phase"));
    expect(withPhase.map(({ name }) => name).sort()).toEqual(["design", "discuss", "plan", "review"]);
    const known = new Set([...TOOL_NAMES, "branching_strategy", "max_wave_parallelism"]);
    for (const { name } of prompts) {
      const takesPhase = withPhase.some((prompt) => prompt.name === name);
      const { messages } = await client.getPrompt({ name, arguments: takesPhase ? { phase: "07-search" } : {} });
      expect(messages).toHaveLength(1);
      const [message] = messages;
      if (message?.content.type !== "text") throw new Error("no text");
      expect(message.role).toBe("user");
      expect(message.content.text.includes("phase 07-search")).toBe(takesPhase);
      expect(message.content.text).not.toMatch(/undefined|\$\{/);
      for (const [tool] of message.content.text.matchAll(/\b(?:state|plans|config)_[a-z_]+/g))
        expect(known).toContain(tool);
    }
    const bare = await client.getPrompt({ name: "design", arguments: {} });
    expect(JSON.stringify(bare)).toContain("the current phase");
  });

  it("serves the project it stands in, from any folder below", async () => {
    await call(await connect(), "state_init", SHOP);
    expect(await call(await connect(repository.deep), "state_get")).toMatchObject({ project: { name: "shop" } });
  });

  it("two clients at once lose nothing", async () => {
    const pair = await Promise.all([connect(), connect(repository.deep)]);
    await call(pair[0], "state_init", SHOP);
    const reasons = pair.flatMap((client, index) =>
      Array.from({ length: 40 }, (_, count) => ({ client, reason: `${index}:${count}` })),
    );
    await Promise.all(reasons.map(({ client, reason }) => call(client, "state_add_blocker", { reason })));
    const { blockers } = await call(pair[1], "state_get");
    expect(blockers.map(({ reason }: { reason: string }) => reason).sort()).toEqual(
      reasons.map(({ reason }) => reason).sort(),
    );
  });

  it("of two clients that take the same step at once, one is told it is too late", async () => {
    const pair = await Promise.all([connect(), connect()]);
    await call(pair[0], "state_init", SHOP);
    const answers = await Promise.all(pair.map((client) => call(client, "state_transition", { step: "designed" })));
    expect(answers.map(({ code }) => code ?? "ok").sort()).toEqual(["INVALID_TRANSITION", "ok"]);
  });

  it("prints nothing but the protocol, answers what came before its input ended, and then ends", () => {
    const request = (id: number, method: string, params: object) =>
      JSON.stringify({ jsonrpc: "2.0", id, method, params });
    const lines = [
      request(1, "initialize", {
        protocolVersion: "2025-06-18",
        capabilities: {},
        clientInfo: { name: "t", version: "1" },
      }),
      JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" }),
      "this is no JSON",
      request(2, "tools/call", { name: "state_init", arguments: SHOP }),
      request(3, "tools/call", { name: "state_get" }),
    ];
    const { status, stdout } = repository.run(["mcp"], repository.deep, `${lines.join("\n")}\n`);
    expect(status).toBe(0);
    const answers = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(answers.map(({ jsonrpc, id }) => [jsonrpc, id])).toEqual([
      ["2.0", 1],
      ["2.0", 2],
      ["2.0", 3],
    ]);
    expect(answers[2].result.structuredContent.project.name).toBe("shop");
  });

  it("serves another folder with --cwd", () => {
    const other = scratchRepository();
    other.run(["state", "init", "other", "--phase", "01", "--phases", "1"]);
    const request = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "state_get" } });
    const { stdout } = repository.run(["mcp", "--cwd", other.root], repository.root, `${request}\n`);
    expect(JSON.parse(stdout).result.structuredContent.project.name).toBe("other");
    other.remove();
  });
});
