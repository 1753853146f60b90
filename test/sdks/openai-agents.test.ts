import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { answerInterruption, guardAgent, runGuarded } from "../../src/bindings/openai-agents.ts";
import { support } from "../../src/bindings/openai-agents-support.ts";
import { defineHook } from "../../src/custom/define-hook.ts";
import type { HoldfastOptions } from "../../src/embed/holdfast.ts";
import { conformance } from "./conformance.ts";
import type { ModelStep } from "./driver.ts";
import { installedSdk } from "./installed-sdk.ts";
import { openAiAgents, ScriptedModel, sdk, toolOf } from "./openai-agents-driver.ts";
import { runExample } from "./run-example.ts";
import { supportsEveryEvent } from "./support-table.ts";
import { type Workbench, workbench } from "./workbench.ts";

// biome-ignore lint/suspicious/noExplicitAny: the SDK's types are not there when ours are checked
type Loaded = any;

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

  it("F-15 a rewritten rich result keeps its parts, and a picture its bytes", async () => {
    const hides = defineHook({
      name: "hides",
      on: ["post_tool_use"],
      judge: ({ response }) =>
        Array.isArray(response)
          ? {
              rewrite: response.map((part) =>
                JSON.stringify(part).includes("12345") ? { type: "text", text: "[hidden]" } : part,
              ),
            }
          : undefined,
    });
    const image = { data: new Uint8Array([1, 2, 3]), mediaType: "image/png" };
    const look = loaded.tool({
      name: "look",
      description: "looks",
      parameters: { type: "object", properties: {}, required: [], additionalProperties: false },
      execute: () => [
        { type: "text", text: "the key is 12345" },
        { type: "image", image },
      ],
    });
    const scripted = model(call("look"), DONE);
    const agent = new loaded.Agent({ name: "lead", model: scripted, tools: [look] });
    const { history } = await loaded.run(guardAgent(await bench.session({ hooks: [hides] }), agent), "do it");
    const { output } = history.find(({ type }: { type: string }) => type === "function_call_result");
    expect(output[0]).toMatchObject({ type: "input_text", text: "[hidden]" });
    expect(output[1]).toMatchObject({ type: "input_image", image: "data:image/png;base64,AQID" });
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

  describe("a handoff with an input", () => {
    /** What was handed over with the conversation, and what the models then saw. */
    const handedOver = async (hooks: NonNullable<HoldfastOptions["hooks"]>, input: object, schema?: object) => {
      const session = await bench.session({ hooks });
      const given: unknown[] = [];
      const others = model({ text: "handed over" });
      const other = new loaded.Agent({ name: "other", model: others });
      const inputType = schema ?? {
        type: "object",
        properties: { reason: { type: "string" } },
        required: ["reason"],
        additionalProperties: false,
      };
      const target = loaded.handoff(other, {
        inputType,
        onHandoff: (_: unknown, got: unknown) => void given.push(got),
      });
      const scripted = model(call("transfer_to_other", input), DONE);
      const agent = new loaded.Agent({ name: "lead", model: scripted, handoffs: [target] });
      const { finalOutput } = await loaded.run(guardAgent(session, agent), "do it");
      return { given, finalOutput, otherSaw: others.saw[0] ?? "", leadSaw: scripted.saw[1] ?? "" };
    };

    it("is made with the input as hooks left it", async () => {
      const rewrites = defineHook({
        name: "w",
        on: ["pre_tool_use"],
        judge: () => ({ rewrite: { reason: "[hidden]" } }),
      });
      expect((await handedOver([rewrites], { reason: "s3cret" })).given).toEqual([{ reason: "[hidden]" }]);
      const objective = defineHook({
        name: "w",
        on: ["pre_delegation"],
        judge: () => ({ rewrite: { objective: "[hidden]" } }),
      });
      expect((await handedOver([objective], { reason: "s3cret" })).given).toEqual([{ reason: "[hidden]" }]);
    });

    it("does not take place where what hooks changed has no place in it", async () => {
      const objective = defineHook({
        name: "w",
        on: ["pre_delegation"],
        judge: () => ({ rewrite: { objective: "[hidden]" } }),
      });
      const schema = {
        type: "object",
        properties: { from: { type: "string" }, to: { type: "string" } },
        required: ["from", "to"],
        additionalProperties: false,
      };
      const { given, finalOutput, leadSaw } = await handedOver([objective], { from: "a", to: "s3cret" }, schema);
      expect([given, finalOutput]).toEqual([[], "done"]);
      expect(leadSaw).toContain("The handoff to other did not take place.");
    });

    describe("whose objective hooks changed", () => {
      const objectiveTo = (objective: string) =>
        defineHook({ name: "w", on: ["pre_delegation"], judge: () => ({ rewrite: { objective } }) });

      it("does not take place where its schema refuses what would be handed over", async () => {
        const schema = {
          type: "object",
          properties: { reason: { type: "string", enum: ["refund", "repair"] } },
          required: ["reason"],
          additionalProperties: false,
        };
        const { given, finalOutput, leadSaw } = await handedOver([objectiveTo("both")], { reason: "refund" }, schema);
        expect([given, finalOutput]).toEqual([[], "done"]);
        expect(leadSaw).toContain(
          "The handoff to other did not take place. Hooks changed what is asked, but it does not",
        );
        expect((await handedOver([objectiveTo("repair")], { reason: "refund" }, schema)).given).toEqual([
          { reason: "repair" },
        ]);
      });

      it("does not take place, and the run goes on, where the SDK refuses what its schema does not say", async () => {
        const validate = (value: { reason: string }) =>
          value.reason === "both" ? { issues: [{ message: "one of them" }] } : { value };
        const jsonSchema = {
          type: "object",
          properties: { reason: { type: "string" } },
          required: ["reason"],
          additionalProperties: false,
        };
        const converted = { input: () => jsonSchema, output: () => jsonSchema };
        const schema = { "~standard": { version: 1, vendor: "test", validate, jsonSchema: converted } };
        const started: unknown[] = [];
        const starts = defineHook({
          name: "starts",
          on: ["delegation_start"],
          judge: ({ objective }) => void started.push(objective),
        });
        const hooks = [objectiveTo("both"), starts];
        const { given, finalOutput, leadSaw } = await handedOver(hooks, { reason: "refund" }, schema);
        expect([given, finalOutput]).toEqual([[], "done"]);
        expect(leadSaw).toContain("The handoff to other did not take place. Hooks changed its input");
        await expect(handedOver([starts], { reason: "both" }, schema)).rejects.toThrow("Invalid JSON provided");
        // What did not take place did not begin either.
        expect(started).toEqual([]);
        await handedOver([starts], { reason: "refund" }, schema);
        expect(started).toEqual(["refund"]);
      });

      it("does not take place where a guard of the call refuses what would be handed over, or asks about it", async () => {
        for (const answer of [{ block: "not that" }, { ask: "not that" }]) {
          const guard = defineHook({
            name: "guard",
            on: ["pre_tool_use"],
            judge: ({ tool }) => (tool.input.reason === "drop it all" ? answer : undefined),
          });
          const { given, finalOutput, leadSaw } = await handedOver([guard, objectiveTo("drop it all")], {
            reason: "x",
          });
          expect([given, finalOutput]).toEqual([[], "done"]);
          expect(leadSaw).toContain("The handoff to other did not take place. not that");
        }
      });

      it("does not take place where hooks on the call would change it once more", async () => {
        const others = defineHook({
          name: "others",
          on: ["pre_tool_use"],
          judge: ({ tool }) => (tool.input.reason === "theirs" ? { rewrite: { reason: "ours" } } : undefined),
        });
        const { given, finalOutput, leadSaw } = await handedOver([others, objectiveTo("theirs")], { reason: "x" });
        expect([given, finalOutput]).toEqual([[], "done"]);
        expect(leadSaw).toContain("The handoff to other did not take place. Hooks on the call");
      });
    });

    it("whose beginning could not be looked at does not take place, and what the program did on it is not denied", async () => {
      const session = await bench.session({});
      const fire = () => Promise.reject(new Error("no place to record it"));
      const other = new loaded.Agent({ name: "other", model: model(DONE) });
      const target = loaded.handoff(other, { onHandoff: () => Object.assign(session, { fire }) });
      const scripted = model(call("transfer_to_other"), DONE);
      const agent = new loaded.Agent({ name: "lead", model: scripted, handoffs: [target] });
      await loaded.run(guardAgent(session, agent), "do it");
      expect(other.model.saw).toEqual([]);
      expect(scripted.saw[1]).toContain("The handoff to other did not take place.");
      expect(scripted.saw[1]).toContain("(onHandoff) was done already");
    });

    it("tells the agent that goes on what hooks say of it", async () => {
      const tells = defineHook({
        name: "tells",
        on: ["pre_tool_use", "pre_delegation"],
        judge: ({ name }) => ({ context: `mind ${name}` }),
      });
      const { otherSaw } = await handedOver([tells], { reason: "x" });
      expect(otherSaw).toContain("mind pre_tool_use");
      expect(otherSaw).toContain("mind pre_delegation");
    });
  });

  it("Q-101 after a handoff hooks see a turn, and another one with the next prompt", async () => {
    const seen: string[] = [];
    const who = defineHook({ name: "who", on: ["pre_tool_use"], judge: ({ turn }) => void seen.push(turn) });
    const session = await bench.session({ hooks: [who] });
    const others = model(call("bash", { command: "a" }), call("bash", { command: "b" }, "call_2"), DONE);
    const other = new loaded.Agent({ name: "other", model: others, tools: [toolOf(loaded, bench.bash())] });
    const lead = new loaded.Agent({ name: "lead", model: model(call("transfer_to_other")), handoffs: [other] });
    const agent = guardAgent(session, lead);
    const first = await runGuarded({ session, run: loaded.run, agent, input: "do it" });
    const again = model(call("bash", { command: "c" }, "call_3"), DONE);
    if (first.status !== "blocked") {
      const { lastAgent } = first.result as { lastAgent?: { model: unknown } };
      if (!lastAgent) throw new Error("nobody was handed to");
      lastAgent.model = again;
      await runGuarded({ session, run: loaded.run, agent: lastAgent as never, input: "and more" });
    }
    const [, a, b, c] = seen;
    expect([a === "", a === b, b === c, c === ""]).toEqual([false, true, false, false]);
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

  it("runGuarded refuses a stream, of which it would take the beginning for the end", async () => {
    const stops: unknown[] = [];
    const looks = defineHook({ name: "l", on: ["stop"], judge: ({ name }) => void stops.push(name) });
    const session = await bench.session({ hooks: [looks] });
    const agent = guardAgent(session, new loaded.Agent({ name: "lead", model: model(DONE) }));
    const options = { stream: true as never };
    const turn = runGuarded<Loaded>({ session, run: loaded.run, agent, input: "go", options });
    await expect(turn).rejects.toThrow("leave `stream` out");
    expect(stops).toEqual([]);
  });

  describe("in the SDK's own loop, without runGuarded", () => {
    const asks = defineHook({ name: "asks", on: ["pre_tool_use"], judge: () => ({ ask: "is this fine?" }) });

    it.each([
      ["answerInterruption", (state: Loaded, item: Loaded) => answerInterruption(state, item, { allow: false })],
      ["state.reject", (state: Loaded, item: Loaded) => state.reject(item)],
    ])("nothing is kept of what was asked after a no by %s, in another process too", async (_how, reject) => {
      const session = await bench.session({ hooks: [asks] });
      const scripted = model(call("bash", { command: "ls" }), DONE);
      const build = () => {
        const lead = new loaded.Agent({ name: "lead", model: scripted, tools: [toolOf(loaded, bench.bash())] });
        return guardAgent(session, lead, { suspend: true });
      };
      const first = await loaded.run(build(), "do it");
      expect(bench.questionsKept()).toHaveLength(1);
      const restored = build();
      const state = await loaded.RunState.fromString(restored, first.state.toString());
      for (const item of state.getInterruptions()) reject(state, item);
      expect((await loaded.run(restored, state)).finalOutput).toBe("done");
      expect(commands()).toEqual([]);
      expect(bench.questionsKept()).toEqual([]);
    });

    it("Q-101 hooks see a turn", async () => {
      const turns: string[] = [];
      const who = defineHook({ name: "who", on: ["pre_tool_use"], judge: ({ turn }) => void turns.push(turn) });
      const scripted = model(call("bash", { command: "ls" }), DONE);
      const lead = new loaded.Agent({ name: "lead", model: scripted, tools: [toolOf(loaded, bench.bash())] });
      await loaded.run(guardAgent(await bench.session({ hooks: [who] }), lead), "do it");
      expect(turns).toEqual([expect.stringMatching(/./)]);
    });
  });

  describe("no call runs without its hooks, or by what they said of another", () => {
    it("a function tool is guarded, whatever name it shares with one that was accepted unguarded", async () => {
      const no = defineHook({ name: "no", on: ["pre_tool_use"], judge: () => ({ block: "not that" }) });
      const session = await bench.session({ hooks: [no] });
      const posing = toolOf(loaded, { ...bench.bash(), name: "web_search" });
      const scripted = model(call("web_search", { command: "ls" }), DONE);
      const lead = new loaded.Agent({ name: "lead", model: scripted, tools: [posing] });
      await loaded.run(guardAgent(session, lead, { unguarded: ["web_search", "function"] }), "do it");
      expect(commands()).toEqual([]);
      expect(scripted.saw[1]).toContain("not that");
    });

    it("what is guarded for one session is refused in another, whose rules and answers it would not go by", async () => {
      const agent = () => new loaded.Agent({ name: "lead", model: model(DONE), tools: [toolOf(loaded, bench.bash())] });
      const [first, second] = [await bench.session({}), await bench.session({})];
      const guarded = guardAgent(first, agent());
      expect(() => guardAgent(second, guarded)).toThrow("guarded already");
      const lead = new loaded.Agent({
        name: "lead",
        tools: [guarded.asTool({ toolName: "child", toolDescription: "helps" })],
      });
      expect(() => guardAgent(second, lead)).toThrow("another session");
      expect(() => guardAgent(first, lead)).not.toThrow();
    });

    it("what is added to a guarded agent later is guarded, or refused at once", async () => {
      const session = await bench.session({ hooks: [noBash] });
      const scripted = model(call("bash", { command: "ls" }), DONE);
      const lead = guardAgent(session, new loaded.Agent({ name: "lead", model: scripted }));
      expect(() => lead.tools.push(toolOf(loaded, bench.bash()))).toThrow();
      expect(() => lead.handoffs.push(new loaded.Agent({ name: "other" }))).toThrow();
      lead.tools = [toolOf(loaded, bench.bash())];
      await loaded.run(lead, "do it");
      expect(commands()).toEqual([]);
      expect(scripted.saw[1]).toContain("not for lead");
      const others = model(call("bash", { command: "ls" }), DONE);
      const other = new loaded.Agent({ name: "other", model: others, tools: [toolOf(loaded, bench.bash())] });
      lead.model = model(call("transfer_to_other"));
      lead.handoffs = [other];
      await loaded.run(lead, "go on");
      expect(commands()).toEqual([]);
      expect(others.saw[1]).toContain("not for other");
    });

    it("what is guarded for a session may be used in that session wherever an agent may", async () => {
      const session = await bench.session({ hooks: [noBash] });
      const agents = ["b", "c"].map((name) => {
        const scripted = model(call("bash", { command: "ls" }), DONE, call("bash", { command: "ls" }), DONE);
        return new loaded.Agent({ name, model: scripted, tools: [toolOf(loaded, bench.bash())] });
      });
      const [b, c] = agents;
      const leading = (to: string, handoffs: unknown[]) =>
        guardAgent(session, new loaded.Agent({ name: "lead", model: model(call(`transfer_to_${to}`)), handoffs }));
      const lead = leading("c", [b]);
      const [kept] = lead.handoffs;
      lead.handoffs = [...lead.handoffs, c];
      expect(lead.handoffs[0]).toBe(kept);
      await loaded.run(lead, "go");
      expect(c.model.saw[1]).toContain("not for c");
      const ofGuarded = leading("b", [guardAgent(session, guardAgent(session, b))]);
      const copy = ofGuarded.clone({ handoffs: [loaded.handoff(ofGuarded.handoffs[0])] });
      copy.model = model(call("transfer_to_b"));
      for (const asked of [ofGuarded, copy]) await loaded.run(asked, "go");
      for (const at of [1, 3]) expect(b.model.saw[at]).toContain("not for b");
      expect(commands()).toEqual([]);
    });

    describe("what a tool_search finds that was accepted", () => {
      const searching = async (found: unknown, steps: ModelStep[]) => {
        const session = await bench.session({ hooks: [noBash] });
        const scripted = model(call("tool_search", { query: "shell" }, "call_0"), ...steps);
        const search = loaded.toolSearchTool({ execution: "client", execute: () => found });
        const lead = new loaded.Agent({ name: "lead", model: scripted, tools: [search] });
        expect(() => guardAgent(session, lead)).toThrow("tool_search");
        return { scripted, lead: guardAgent(session, lead, { unguarded: ["tool_search"] }) };
      };

      it.each([
        ["alone", (tool: unknown) => tool],
        ["in a list", (tool: unknown) => [tool]],
      ])("is guarded: %s", async (_how, given) => {
        const bash = call("bash", { command: "ls" });
        const again = call("tool_search", { query: "shell" }, "call_2");
        const found = given(toolOf(loaded, bench.bash()));
        const { lead, scripted } = await searching(found, [
          bash,
          again,
          call("bash", { command: "ls" }, "call_3"),
          DONE,
        ]);
        expect((await loaded.run(lead, "do it")).finalOutput).toBe("done");
        expect(commands()).toEqual([]);
        for (const at of [2, 4]) expect(scripted.saw[at]).toContain("not for lead");
      });

      it("is refused where no hook could look at its calls", async () => {
        const hosted = loaded.hostedMcpTool({ serverLabel: "crm", serverUrl: "https://crm.example" });
        const { lead } = await searching([hosted], [DONE]);
        await expect(loaded.run(lead, "do it")).rejects.toThrow("Hooks cannot look at the calls of hosted_mcp");
      });
    });

    it("a clone of a guarded agent is guarded, and has what the agent was changed to", async () => {
      const session = await bench.session({ hooks: [noBash] });
      const lead = guardAgent(session, new loaded.Agent({ name: "lead", instructions: "old" }));
      lead.instructions = "be careful";
      lead.tools = [toolOf(loaded, bench.bash())];
      lead.model = model(DONE);
      const scripted = model(call("bash", { command: "ls" }), DONE);
      const copy = lead.clone({ name: "copy", model: scripted });
      await loaded.run(copy, "do it");
      expect(scripted.saw[0]).toContain("be careful");
      expect(scripted.saw[1]).toContain("not for lead");
      expect(commands()).toEqual([]);
    });

    it("in two runs of one agent, of two tools called with one id and one input each goes by its own decision", async () => {
      let goOn = () => {};
      const bothAsked = new Promise<void>((resolve) => {
        goOn = resolve;
      });
      let asked = 0;
      const no = defineHook({
        name: "no",
        on: ["pre_tool_use"],
        judge: async ({ tool }) => {
          if (++asked >= 2) goOn();
          await bothAsked;
          return tool.name === "bash" ? { block: "not that" } : undefined;
        },
      });
      const session = await bench.session({ hooks: [no] });
      const input = { command: "ls" };
      const ran: string[] = [];
      const tools = ["bash", "look"].map((name) =>
        toolOf(loaded, { ...bench.bash(), name, run: () => ran.push(name) }),
      );
      const scripted = model(call("bash", input), call("look", input), DONE, DONE);
      const lead = guardAgent(session, new loaded.Agent({ name: "lead", model: scripted, tools }), { suspend: true });
      await Promise.all([loaded.run(lead, "do it"), loaded.run(lead, "do it")]);
      expect(ran).toEqual(["look"]);
    });
  });

  describe("alwaysApprove, the SDK's own yes to whatever a tool is called with", () => {
    const asks = defineHook({ name: "asks", on: ["pre_tool_use"], judge: () => ({ ask: "is this fine?" }) });
    const standingYes = async (ask?: HoldfastOptions["ask"]) => {
      const session = await bench.session({ hooks: [asks], ...(ask ? { ask } : {}) });
      const calls = ["a", "b"].map((command, index) => call("bash", { command }, `call_${index}`));
      const scripted = model(...calls, DONE);
      const lead = new loaded.Agent({ name: "lead", model: scripted, tools: [toolOf(loaded, bench.bash())] });
      const agent = guardAgent(session, lead, { suspend: true });
      const first = await loaded.run(agent, "do it");
      first.state.approve(first.interruptions[0], { alwaysApprove: true });
      const turn = await runGuarded({ session, run: loaded.run, agent, input: first.state });
      expect(turn.status).toBe("done");
      return scripted.saw[2];
    };

    it("answers the question it was given to and no other, and the model is told what is the matter", async () => {
      const saw = await standingYes();
      expect(commands()).toEqual(["a"]);
      expect(saw).toContain("is this fine? A standing yes (alwaysApprove)");
      expect(saw).not.toContain("make the call again");
    });

    it("leaves every other question to whoever can be asked in process", async () => {
      await standingYes(() => ({ allow: true }));
      expect(commands()).toEqual(["a", "b"]);
    });
  });

  it("Q-89 a rewritten objective that an agent's tool has no one text for starts no agent", async () => {
    const changes = defineHook({
      name: "w",
      on: ["pre_delegation"],
      judge: () => ({ rewrite: { objective: "[hidden]" } }),
    });
    const session = await bench.session({ hooks: [changes] });
    const childs = model(DONE);
    const child = new loaded.Agent({ name: "child", model: childs });
    const properties = { from: { type: "string" }, to: { type: "string" } };
    const parameters = { type: "object", properties, required: ["from", "to"], additionalProperties: false };
    const tool = guardAgent(session, child).asTool({ toolName: "child", toolDescription: "helps", parameters });
    const scripted = model(call("child", { from: "a", to: "s3cret" }), DONE);
    const lead = new loaded.Agent({ name: "lead", model: scripted, tools: [tool] });
    await loaded.run(guardAgent(session, lead), "do it");
    expect(childs.saw).toEqual([]);
    expect(scripted.saw[1]).toContain("no one text to change");
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
