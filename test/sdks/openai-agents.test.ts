import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { guardAgent, runGuarded, support } from "../../src/bindings/openai-agents.ts";
import { defineHook } from "../../src/custom/define-hook.ts";
import { conformance } from "./conformance.ts";
import type { ModelStep } from "./driver.ts";
import { installedSdk } from "./installed-sdk.ts";
import { openAiAgents, ScriptedModel, sdk, toolOf } from "./openai-agents-driver.ts";
import { runExample } from "./run-example.ts";
import { supportsEveryEvent } from "./support-table.ts";
import { type Workbench, workbench } from "./workbench.ts";

conformance(openAiAgents);

describe("OpenAI Agents: the traps (sdks.md 23 and 29)", () => {
  let bench: Workbench;
  // biome-ignore lint/suspicious/noExplicitAny: the SDK's module
  let loaded: any;
  beforeAll(async () => {
    loaded = await sdk();
  });
  beforeEach(() => {
    bench = workbench();
  });
  afterEach(() => bench.close());

  const DONE = { text: "done" };
  const call = (name: string, input = {}, id = "call_1"): ModelStep => ({ calls: [{ id, name, input }] });
  const model = (...steps: ModelStep[]) => new ScriptedModel(steps, () => new loaded.Usage());
  const commands = () => bench.toolRuns.map(({ input }) => input.command);
  const noBash = defineHook({
    name: "no",
    on: ["pre_tool_use"],
    judge: ({ tool, agent }) => (tool.name === "bash" ? { block: `not for ${agent}` } : undefined),
  });

  it("29.3 rules that become unreadable in a run block its calls; they do not end the run", async () => {
    const session = await bench.session({});
    const scripted = model(call("bash", { command: "ls" }), DONE);
    const agent = new loaded.Agent({ name: "lead", model: scripted, tools: [toolOf(loaded, bench.bash())] });
    const guarded = guardAgent(session, agent);
    writeFileSync(join(bench.project, "holdfast.yaml"), "hooks: [\n");
    const result = await loaded.run(guarded, "do it");
    expect(commands()).toEqual([]);
    expect(scripted.saw[1]).toContain("the rules cannot be read");
    expect(result.finalOutput).toBe("done");
  });

  it("the agent given stays as it is: one definition serves many sessions", async () => {
    const tools = [toolOf(loaded, bench.bash())];
    const agent = new loaded.Agent({ name: "lead", model: model(call("bash", { command: "ls" }), DONE), tools });
    guardAgent(await bench.session({ hooks: [noBash] }), agent);
    await loaded.run(agent, "do it");
    expect(commands()).toEqual(["ls"]);
  });

  it("29.10 a tool that runs an agent nobody guards is refused, with what to write instead", async () => {
    const child = new loaded.Agent({ name: "child", model: model(DONE), tools: [] });
    const tools = [child.asTool({ toolName: "child", toolDescription: "helps" })];
    const agent = new loaded.Agent({ name: "lead", model: model(DONE), tools });
    const session = await bench.session({});
    expect(() => guardAgent(session, agent)).toThrow("guardAgent(session, agent).asTool(");
  });

  it("a tool that runs on OpenAI's side is refused until it is accepted by name", async () => {
    const agent = new loaded.Agent({ name: "lead", model: model(DONE), tools: [loaded.webSearchTool()] });
    const session = await bench.session({});
    expect(() => guardAgent(session, agent)).toThrow("unguarded");
    expect(() => guardAgent(session, agent, { unguarded: ["web_search"] })).not.toThrow();
  });

  it("a handoff that hooks block leaves the conversation where it is, and the model is told why", async () => {
    const hooks = [defineHook({ name: "no", on: ["pre_delegation"], judge: () => ({ block: "stay here" }) })];
    const session = await bench.session({ hooks });
    const other = new loaded.Agent({ name: "other", model: model({ text: "handed over" }) });
    const scripted = model(call("transfer_to_other"), DONE);
    const agent = new loaded.Agent({ name: "lead", model: scripted, handoffs: [other] });
    const result = await loaded.run(guardAgent(session, agent), "do it");
    expect(result.finalOutput).toBe("done");
    expect(scripted.saw[1]).toContain("The handoff to other did not take place. stay here");
  });

  it("29.10 the agent that a conversation is handed to is guarded, in its own name; so it is after a restart", async () => {
    const session = await bench.session({ hooks: [noBash] });
    const script = () => model(call("bash", { command: "ls" }), DONE);
    const scripted = script();
    const other = new loaded.Agent({ name: "other", model: scripted, tools: [toolOf(loaded, bench.bash())] });
    const agent = new loaded.Agent({
      name: "lead",
      model: model(call("transfer_to_other")),
      handoffs: [loaded.handoff(other)],
    });
    const guarded = guardAgent(session, agent);
    const result = await loaded.run(guarded, "do it");
    expect(commands()).toEqual([]);
    expect(scripted.saw[1]).toContain("not for other");
    const restored = await loaded.RunState.fromString(guarded, result.state.toString());
    expect(restored._currentAgent).toBe(guarded.handoffs[0].agent);
  });

  it("Q-60 tools of MCP servers are guarded too", async () => {
    const args = [join(import.meta.dirname, "mcp-server.mjs")];
    const server = new loaded.MCPServerStdio({ command: process.execPath, args });
    await server.connect();
    try {
      const seen: unknown[] = [];
      const hooks = [
        defineHook({
          name: "no-add",
          on: ["pre_tool_use"],
          judge({ tool }) {
            seen.push(tool.name);
            return { block: "no sums" };
          },
        }),
      ];
      const scripted = model(call("add", { a: 1, b: 2 }), DONE);
      const agent = new loaded.Agent({ name: "lead", model: scripted, mcpServers: [server] });
      await loaded.run(guardAgent(await bench.session({ hooks }), agent), "do it");
      expect(seen).toEqual(["add"]);
      expect(scripted.saw[1]).toContain("no sums");
      expect(scripted.saw[1]).not.toContain('"sum":3');
    } finally {
      await server.close();
    }
  });

  it("Q-67 a tool's own approval asks hooks on permission_request first; their no is the tool's output", async () => {
    const hooks = [defineHook({ name: "no", on: ["permission_request"], judge: () => ({ block: "never that" }) })];
    const session = await bench.session({ hooks });
    const scripted = model(call("bash", { command: "ls" }), DONE);
    const tools = [{ ...toolOf(loaded, bench.bash()), needsApproval: async () => true }];
    const agent = guardAgent(session, new loaded.Agent({ name: "lead", model: scripted, tools }));
    const turn = await runGuarded({ session, run: loaded.run, agent, input: "do it" });
    expect(turn.status).toBe("done");
    expect(commands()).toEqual([]);
    expect(scripted.saw[1]).toContain("never that");
  });

  it("an agent that runs as a tool cannot wait for a person: what hooks ask about there is blocked", async () => {
    const hooks = [
      defineHook({
        name: "asks",
        on: ["pre_tool_use"],
        judge: ({ tool }) => (tool.name === "bash" ? { ask: "is this fine?" } : undefined),
      }),
    ];
    const session = await bench.session({ hooks });
    const scripted = model(call("bash", { command: "ls" }), DONE);
    const child = new loaded.Agent({ name: "child", model: scripted, tools: [toolOf(loaded, bench.bash())] });
    const tools = [
      guardAgent(session, child, { suspend: true }).asTool({ toolName: "child", toolDescription: "helps" }),
    ];
    const lead = new loaded.Agent({
      name: "lead",
      model: model(call("child", { input: "look" }, "call_2"), DONE),
      tools,
    });
    const agent = guardAgent(session, lead, { suspend: true });
    const turn = await runGuarded({ session, run: loaded.run, agent, input: "do it" });
    expect(turn.status).toBe("done");
    expect(commands()).toEqual([]);
    expect(scripted.saw[1]).toContain("is this fine?");
  });

  supportsEveryEvent(support);
});

it("examples/sdks/openai-agents.mjs: a push is blocked, a deploy waits for a person and then runs", async () => {
  const printed = await runExample("openai-agents.mjs", await installedSdk("openai-agents"));
  expect(printed).toContain("a person is asked: This goes to production.");
  expect(printed).toContain("git/force-push-protected");
  expect(printed).toContain("(ran deploy shop)");
  expect(printed).toContain("answer: Deployed, not pushed.");
});
