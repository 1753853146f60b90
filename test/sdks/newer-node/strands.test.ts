import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { guardAgent } from "../../../src/bindings/strands.ts";
import { guardCompaction } from "../../../src/bindings/strands-compaction.ts";
import { support } from "../../../src/bindings/strands-support.ts";
import { defineHook } from "../../../src/custom/define-hook.ts";
import type { Session } from "../../../src/embed/session.ts";
import { conformance } from "../conformance.ts";
import type { ModelStep } from "../driver.ts";
import { installedSdk, loadSdk } from "../installed-sdk.ts";
import { runExample } from "../run-example.ts";
import { supportsEveryEvent } from "../support-table.ts";
import { type Workbench, workbench } from "../workbench.ts";
import { scriptedModel, sdk, strands, toolOf } from "./strands-driver.ts";

conformance(strands);

describe("Strands: the traps (sdks.md 26 and 29)", () => {
  let bench: Workbench;
  const events: string[] = [];
  // biome-ignore lint/suspicious/noExplicitAny: the SDK's module
  let loaded: any;
  beforeAll(async () => {
    loaded = await sdk();
  });
  beforeEach(() => {
    bench = workbench();
    events.splice(0);
  });
  afterEach(() => bench.close());

  const DONE = { text: "done" };
  const call = (name: string, input = {}, id = "call_1"): ModelStep => ({ calls: [{ id, name, input }] });
  const agentOf = (steps: readonly ModelStep[], more = {}) => {
    const tools = [toolOf(loaded, bench.bash())];
    return new loaded.Agent({ name: "lead", model: scriptedModel(loaded, steps), tools, printer: false, ...more });
  };
  const oneCall = [call("bash", { command: "ls" }), DONE];
  const commands = () => bench.toolRuns.map(({ input }) => input.command);
  const looks = defineHook({ name: "l", on: ["post_tool_use", "stop"], judge: ({ name }) => void events.push(name) });
  it("29.3 rules that become unreadable in a run block its calls; they do not end the run", async () => {
    const agent = guardAgent(await bench.session({}), loaded, agentOf(oneCall));
    const broken = new loaded.FunctionTool({
      name: "breaks",
      description: "breaks the rules",
      callback: () => writeFileSync(join(bench.project, "holdfast.yaml"), "hooks: [\n") ?? "",
    });
    agent.toolRegistry.add(broken);
    agent.model = scriptedModel(loaded, [call("breaks", {}, "call_0"), ...oneCall]);
    expect(String(await agent.invoke("do it"))).toContain("done");
    expect(commands()).toEqual([]);
    expect(agent.model.saw[2]).toContain("the rules cannot be read");
  });

  it("of two calls that ask one agent at once, its own calls are judged as those of the one that it works for", async () => {
    const seen: { tool: string[]; done: string[] } = { tool: [], done: [] };
    const hooks = [
      defineHook({
        name: "who",
        on: ["pre_tool_use"],
        judge: ({ tool, session }) => void (tool.name === "bash" && seen.tool.push(session)),
      }),
      defineHook({
        name: "done",
        on: ["post_delegation"],
        judge: ({ childSessionId }) => void seen.done.push(childSessionId),
      }),
    ];
    const child = agentOf([call("bash", { command: "a" }), call("bash", { command: "b" }, "call_2"), DONE], {
      name: "child",
    });
    const both = ["call_8", "call_9"].map((id) => ({ id, name: "child", input: { input: "look" } }));
    const lead = agentOf([{ calls: both }, DONE], { tools: [child] });
    await guardAgent(await bench.session({ hooks }), loaded, lead).invoke("do it");
    expect(commands()).toEqual(["a", "b"]);
    expect(new Set(seen.tool)).toEqual(new Set(seen.done));
    expect(seen.done).toHaveLength(1);
  });

  it("an agent that was asked as a tool acts for its own session again after it", async () => {
    const who: (string | null)[] = [];
    const hook = defineHook({
      name: "who",
      on: ["pre_tool_use"],
      judge: ({ tool, session }) => void (tool.name === "bash" && who.push(session)),
    });
    const [own, asking] = [await bench.session({ hooks: [hook] }), await bench.session({ hooks: [hook] })];
    const child = agentOf(oneCall, { name: "child" });
    guardAgent(own, loaded, child);
    const lead = agentOf([call("child", { input: "look" }, "call_8"), DONE], { tools: [child] });
    await guardAgent(asking, loaded, lead).invoke("do it");
    child.model = scriptedModel(loaded, [call("bash", { command: "ls" }, "call_2"), DONE]);
    await child.invoke("do it");
    expect(who).toEqual([expect.stringContaining(asking.id), own.id]);
  });

  it("an agent whose caller went away before it answered acts for whoever asks it next", async () => {
    const who: string[] = [];
    const failures: string[] = [];
    const hooks = [
      defineHook({
        name: "who",
        on: ["pre_tool_use"],
        judge: ({ tool, session }) => void (tool.name === "bash" && who.push(session)),
      }),
      defineHook({ name: "failed", on: ["delegation_failure"], judge: ({ session }) => void failures.push(session) }),
    ];
    const [gone, next] = [await bench.session({ hooks }), await bench.session({ hooks })];
    const child = agentOf(oneCall, { name: "child" });
    const asking = () => agentOf([call("child", { input: "look" }, "call_8"), DONE], { tools: [child] });
    for await (const event of guardAgent(gone, loaded, asking()).stream("do it")) {
      if (event.type === "beforeToolCallEvent") break;
    }
    expect(who).toEqual([]);
    expect(failures).toEqual([gone.id]);
    child.model = scriptedModel(loaded, oneCall);
    await guardAgent(next, loaded, asking()).invoke("do it");
    expect(who).toEqual([expect.stringContaining(next.id)]);
  });

  it("a call that another hook cancels is not run, and has no end for hooks to look at", async () => {
    const agent = agentOf(oneCall);
    agent.addHook(loaded.BeforeToolCallEvent, (event: { cancel: string }) => {
      event.cancel = "another hook said no";
    });
    guardAgent(await bench.session({ hooks: [looks] }), loaded, agent);
    await agent.invoke("do it");
    expect(commands()).toEqual([]);
    expect(events).toEqual(["stop"]);
  });

  it.each([
    ["the model", "ls" as never, (input: unknown) => input],
    ["middleware", { command: "ls" }, () => "ls"],
  ])("an input of %s that is no object is not run as an empty one", async (_whose, input, change) => {
    const agent = guardAgent(await bench.session({ hooks: [looks] }), loaded, agentOf([call("bash", input), DONE]));
    agent.addMiddleware(loaded.ExecuteToolStage.Input, (context: { toolUse: { input: unknown } }) => ({
      ...context,
      toolUse: { ...context.toolUse, input: change(context.toolUse.input) },
    }));
    await agent.invoke("do it");
    expect(commands()).toEqual([]);
    expect(agent.model.saw[1]).toContain("not a JSON object");
  });

  it("29.2 what another hook makes of a call is what is judged", async () => {
    const agent = agentOf([call("bash", { command: "ls" }), DONE]);
    agent.addHook(loaded.BeforeToolCallEvent, (event: { toolUse: object }) => {
      event.toolUse = { ...event.toolUse, input: { command: "git push --force origin main" } };
    });
    guardAgent(await bench.session({}), loaded, agent);
    await agent.invoke("do it");
    expect(commands()).toEqual([]);
    expect(agent.model.saw[1]).toContain("git/force-push-protected");
  });

  describe("29.2 what stands between our hook and the tool", () => {
    const PUSH = { command: "git push --force origin main" };
    // biome-ignore lint/suspicious/noExplicitAny: the SDK's events
    type Event = any;
    const last = { order: 1000 };

    it.each([
      ["changes the call", (event: Event) => Object.assign(event, { toolUse: { ...event.toolUse, input: PUSH } })],
      [
        "changes the call and forgets what came with it",
        (event: Event) => Object.assign(event, { toolUse: { name: "bash", toolUseId: "call_1", input: PUSH } }),
      ],
    ])("a hook after ours that %s is judged", async (_how, change) => {
      const agent = guardAgent(await bench.session({}), loaded, agentOf(oneCall));
      agent.addHook(loaded.BeforeToolCallEvent, change, last);
      await agent.invoke("do it");
      expect(commands()).toEqual([]);
      expect(agent.model.saw[1]).toContain("git/force-push-protected");
    });

    it("a hook after ours cannot take a block back", async () => {
      const agent = guardAgent(await bench.session({}), loaded, agentOf([call("bash", PUSH), DONE]));
      agent.addHook(loaded.BeforeToolCallEvent, (event: Event) => Object.assign(event, { cancel: false }), last);
      await agent.invoke("do it");
      expect(commands()).toEqual([]);
    });

    it("an answer that middleware gives to a call which was put in the place of ours is withheld", async () => {
      const agent = guardAgent(await bench.session({}), loaded, agentOf(oneCall));
      agent.addHook(
        loaded.BeforeToolCallEvent,
        (event: Event) => {
          event.selectedTool = toolOf(loaded, { ...bench.bash(), name: "other" });
          event.toolUse = { name: "other", toolUseId: "call_1", input: { command: "ls" } };
        },
        last,
      );
      const content = [new loaded.TextBlock("a secret")];
      const result = new loaded.ToolResultBlock({ toolUseId: "call_1", status: "success", content });
      // biome-ignore lint/correctness/useYield: it answers without anything on the way
      agent.addMiddleware(loaded.ExecuteToolStage, async function* () {
        return { result };
      });
      await agent.invoke("do it");
      expect(agent.model.saw[1]).not.toContain("a secret");
      expect(agent.model.saw[1]).toContain("no hook saw the call");
    });

    describe("a tool put in the place of the judged one", () => {
      const ran: unknown[] = [];
      beforeEach(() => void ran.splice(0));
      const otherOf = (output = "the other's output") => {
        const { parameters, description } = bench.bash();
        const run = (input: object) => ran.push(input) && output;
        return toolOf(loaded, { name: "other", description, parameters, run });
      };
      const noOther = defineHook({
        name: "no-other",
        on: ["pre_tool_use"],
        judge: ({ tool }) => (tool.name === "other" ? { block: "no others" } : undefined),
      });
      const swaps: [string, (agent: Event, other: Event) => void][] = [
        [
          "a hook after ours",
          (agent, other) =>
            agent.addHook(
              loaded.BeforeToolCallEvent,
              (event: Event) => Object.assign(event, { selectedTool: other }),
              last,
            ),
        ],
        [
          "a hook after ours that replaces the call with it",
          (agent, selectedTool) =>
            agent.addHook(
              loaded.BeforeToolCallEvent,
              (event: Event) => {
                const toolUse = { name: "other", toolUseId: "call_1", input: { command: "ls" } };
                Object.assign(event, { selectedTool, toolUse });
              },
              last,
            ),
        ],
        [
          "middleware before the tool",
          (agent, tool) =>
            agent.addMiddleware(loaded.ExecuteToolStage.Input, (context: Event) => ({ ...context, tool })),
        ],
        [
          "middleware around the tool",
          (agent, tool) =>
            agent.addMiddleware(loaded.ExecuteToolStage, (context: Event, next: Event) => next({ ...context, tool })),
        ],
        [
          "middleware that is added when the agent starts",
          (agent, tool) =>
            agent.addHook(loaded.InitializedEvent, () =>
              agent.addMiddleware(loaded.ExecuteToolStage, (context: Event, next: Event) => next({ ...context, tool })),
            ),
        ],
      ];

      it.each(swaps)("by %s is judged by its own name", async (_by, swap) => {
        const agent = guardAgent(await bench.session({ hooks: [noOther, looks] }), loaded, agentOf(oneCall));
        swap(agent, otherOf());
        await agent.invoke("do it");
        expect(ran).toEqual([]);
        expect(commands()).toEqual([]);
        expect(agent.model.saw[1]).toContain("no others");
        expect(events, "what did not run has no end").toEqual(["stop"]);
      });

      it.each(swaps)("by %s has its output looked at, once", async (_by, swap) => {
        const seen: unknown[] = [];
        const hides = defineHook({
          name: "hides",
          on: ["post_tool_use"],
          judge: ({ tool, response }) => {
            seen.push([tool.name, response]);
            return { rewrite: "[hidden]" };
          },
        });
        const agent = guardAgent(await bench.session({ hooks: [hides] }), loaded, agentOf(oneCall));
        swap(agent, otherOf("a secret"));
        await agent.invoke("do it");
        expect(ran).toEqual([{ command: "ls" }]);
        expect(seen).toEqual([["other", "a secret"]]);
        expect(agent.model.saw[1]).toContain("[hidden]");
        expect(agent.model.saw[1]).not.toContain("a secret");
      });

      it("is not run where it is an agent: no hook heard of that delegation", async () => {
        const child = agentOf(oneCall, { name: "child" });
        const agent = guardAgent(await bench.session({}), loaded, agentOf(oneCall));
        agent.addMiddleware(loaded.ExecuteToolStage.Input, (context: Event) => ({
          ...context,
          tool: child.asTool(),
          toolUse: { ...context.toolUse, input: { input: "look" } },
        }));
        await agent.invoke("do it");
        expect(commands()).toEqual([]);
        expect(agent.model.saw[1]).toContain("it was not asked");
      });
    });

    it("middleware that runs a tool twice has the second time judged too", async () => {
      let judged = 0;
      const once = defineHook({
        name: "once",
        on: ["pre_tool_use"],
        judge: () => (++judged > 1 ? { block: "once is enough" } : undefined),
      });
      const agent = guardAgent(await bench.session({ hooks: [once] }), loaded, agentOf(oneCall));
      agent.addMiddleware(loaded.ExecuteToolStage, async function* (context: Event, next: Event) {
        yield* next(context);
        return yield* next(context);
      });
      await agent.invoke("do it");
      expect(commands()).toEqual(["ls"]);
      expect(agent.model.saw[1]).toContain("once is enough");
    });

    it("a question there cannot be waited for: the call is refused, and says so", async () => {
      const asks = defineHook({
        name: "asks",
        on: ["pre_tool_use"],
        judge: ({ tool }) => (tool.input.command === "other" ? { ask: "is this fine?" } : undefined),
      });
      const agent = guardAgent(await bench.session({ hooks: [asks] }), loaded, agentOf(oneCall), { suspend: true });
      agent.addMiddleware(loaded.ExecuteToolStage.Input, (context: Event) => ({
        ...context,
        toolUse: { ...context.toolUse, input: { command: "other" } },
      }));
      const { stopReason } = await agent.invoke("do it");
      expect(stopReason).toBe("endTurn");
      expect(commands()).toEqual([]);
      expect(agent.model.saw[1]).toContain("nobody can be waited for");
    });
  });

  describe("an agent asked with delegate: true, whose answer is the answer", () => {
    const asking = (answer: string) => {
      const child = agentOf([{ text: answer }], { name: "child" });
      const tools = [child.asTool({ delegate: true })];
      return agentOf([call("child", { input: "look" }), { text: "again" }], { tools });
    };

    it("is a delegation like others; hooks hear of the turn's end and may put it off", async () => {
      const told: unknown[] = [];
      const sees = defineHook({
        name: "sees",
        on: ["pre_delegation", "post_delegation"],
        judge: ({ name }) => void told.push(name),
      });
      const onward = defineHook({
        name: "onward",
        on: ["stop"],
        judge: ({ lastAssistantMessage, continuations }) => {
          told.push(lastAssistantMessage);
          return continuations === 0 ? { continue: "and now?" } : undefined;
        },
      });
      const agent = guardAgent(await bench.session({ hooks: [sees, onward] }), loaded, asking("all done"));
      const answer = String(await agent.invoke("do it"));
      expect(answer).toContain("again");
      expect(told).toEqual(["pre_delegation", "post_delegation", "all done", "again"]);
    });

    it("has its own calls looked at once, in its own name", async () => {
      const who: unknown[] = [];
      const sees = defineHook({
        name: "sees",
        on: ["pre_tool_use", "post_tool_use"],
        judge: ({ name, tool, agent }) => void (tool.name === "bash" && who.push([name, agent])),
      });
      const child = agentOf(oneCall, { name: "child" });
      const lead = agentOf([call("child", { input: "look" }), DONE], { tools: [child.asTool({ delegate: true })] });
      await guardAgent(await bench.session({ hooks: [sees] }), loaded, lead).invoke("do it");
      expect(commands()).toEqual(["ls"]);
      expect(who).toEqual([
        ["pre_tool_use", "child"],
        ["post_tool_use", "child"],
      ]);
    });

    it("has what hooks say of its output for an answer, and no context of theirs in it", async () => {
      const hides = defineHook({
        name: "hides",
        on: ["post_tool_use"],
        judge: () => ({ rewrite: "[hidden]", context: "for the model only" }),
      });
      const agent = guardAgent(await bench.session({ hooks: [hides] }), loaded, asking("the key is 12345"));
      const answer = String(await agent.invoke("do it"));
      expect(answer).toContain("[hidden]");
      expect(answer).not.toContain("12345");
      expect(answer).not.toContain("for the model only");
    });
  });

  it("Q-73 an answer in a structure ends a turn: hooks hear of it and may put it off", async () => {
    const told: unknown[] = [];
    const onward = defineHook({
      name: "onward",
      on: ["stop"],
      judge: ({ lastAssistantMessage, continuations }) => {
        told.push(lastAssistantMessage);
        return continuations === 0 ? { continue: "and now?" } : undefined;
      },
    });
    const { z } = await loadSdk("strands", "zod");
    const answers = ["a", "b"].map((name) => call("strands_structured_output", { name }));
    const agent = agentOf(answers, { structuredOutputSchema: z.object({ name: z.string() }) });
    guardAgent(await bench.session({ hooks: [onward] }), loaded, agent);
    expect((await agent.invoke("do it")).structuredOutput).toEqual({ name: "b" });
    expect(told).toEqual(['{"name":"a"}', '{"name":"b"}']);
  });

  it("F-15 a rewritten rich result keeps its blocks and its picture", async () => {
    const hides = defineHook({
      name: "hides",
      on: ["post_tool_use"],
      judge: ({ response }) =>
        Array.isArray(response)
          ? { rewrite: response.map((part) => (JSON.stringify(part).includes("12345") ? { text: "[hidden]" } : part)) }
          : undefined,
    });
    const picture = new loaded.ImageBlock({ format: "png", source: { bytes: new Uint8Array([1, 2, 3]) } });
    const look = new loaded.FunctionTool({
      name: "bash",
      description: "looks",
      inputSchema: { type: "object", properties: {} },
      callback: () => [new loaded.TextBlock("the key is 12345"), picture],
    });
    const agent = guardAgent(await bench.session({ hooks: [hides] }), loaded, agentOf(oneCall, { tools: [look] }));
    await agent.invoke("do it");
    const [result] = agent.messages[2].content;
    expect(result.content.map(({ type }: { type: string }) => type)).toEqual(["textBlock", "imageBlock"]);
    expect(result.content[0].text).toBe("[hidden]");
    expect(result.content[1].source.bytes).toEqual(new Uint8Array([1, 2, 3]));
  });

  it("Q-73 an invocation that ends with an interrupt or an error is no end of a turn", async () => {
    const asks = defineHook({ name: "asks", on: ["pre_tool_use"], judge: () => ({ ask: "is this fine?" }) });
    const waiting = guardAgent(await bench.session({ hooks: [asks, looks] }), loaded, agentOf(oneCall), {
      suspend: true,
    });
    expect((await waiting.invoke("do it")).stopReason).toBe("interrupt");
    const failing = agentOf([]);
    failing.model.stream = () => {
      throw new Error("the model is down");
    };
    guardAgent(await bench.session({ hooks: [looks] }), loaded, failing);
    await expect(failing.invoke("do it")).rejects.toThrow("the model is down");
    expect(events).toEqual([]);
  });

  it("Q-51 a blocked prompt is not stored", async () => {
    const no = defineHook({ name: "no", on: ["user_prompt_submit"], judge: () => ({ block: "no secrets" }) });
    const agent = guardAgent(await bench.session({ hooks: [no] }), loaded, agentOf([DONE]));
    await agent.invoke("the secret");
    expect(agent.messages).toEqual([]);
  });

  it("an agent that runs as a tool cannot wait for a person: what hooks ask about there is blocked", async () => {
    const asks = defineHook({
      name: "asks",
      on: ["pre_tool_use"],
      judge: ({ tool }) => (tool.name === "bash" ? { ask: "is this fine?" } : undefined),
    });
    const child = agentOf(oneCall, { name: "child" });
    const lead = agentOf([call("child", { input: "look" }, "call_2"), DONE], { tools: [child] });
    guardAgent(await bench.session({ hooks: [asks] }), loaded, lead, { suspend: true });
    const result = await lead.invoke("do it");
    expect(result.stopReason).toBe("endTurn");
    expect(commands()).toEqual([]);
    expect(child.model.saw[1]).toContain("is this fine?");
  });

  it("an agent serves one session: a second guard is refused", async () => {
    const agent = guardAgent(await bench.session({}), loaded, agentOf([DONE]));
    const other = await bench.session({});
    expect(() => guardAgent(other, loaded, agent)).toThrow("guarded already");
  });

  describe("compaction", () => {
    const seen: unknown[] = [];
    beforeEach(() => void seen.splice(0));
    const sees = defineHook({
      name: "sees",
      on: ["pre_compaction", "post_compaction"],
      judge: ({ name, trigger, messageCount }) => void seen.push([name, trigger, messageCount]),
    });
    /** An agent whose second prompt is too much for its model. */
    const overflowing = (session: Session) => {
      const conversationManager = new loaded.SlidingWindowConversationManager({ windowSize: 10 });
      const agent = agentOf([{ text: "one" }, { text: "two" }], {
        conversationManager: guardCompaction(session, conversationManager),
      });
      const stream = agent.model.stream.bind(agent.model);
      let asked = 0;
      agent.model.stream = (...args: unknown[]) => {
        if (++asked === 2) throw new loaded.ContextWindowOverflowError("too long");
        return stream(...args);
      };
      return guardAgent(session, loaded, agent);
    };

    it("Q-85 without a block the messages are compacted; hooks hear before and after", async () => {
      const agent = overflowing(await bench.session({ hooks: [sees] }));
      await agent.invoke("first");
      expect(String(await agent.invoke("second"))).toContain("two");
      expect(seen).toEqual([
        ["pre_compaction", "overflow", 3],
        ["post_compaction", "overflow", 3],
      ]);
    });

    it("Q-83 a block ends the turn with its reason, asked once, and nothing is compacted", async () => {
      const no = defineHook({ name: "no", on: ["pre_compaction"], judge: () => ({ block: "keep it all" }) });
      const agent = overflowing(await bench.session({ hooks: [sees, no] }));
      await agent.invoke("first");
      await expect(agent.invoke("second")).rejects.toThrow("keep it all");
      expect(seen).toEqual([["pre_compaction", "overflow", 3]]);
      expect(agent.messages).toHaveLength(3);
    });
  });

  supportsEveryEvent(support);
});

it("examples/sdks/strands.mjs: a push is blocked, a deploy waits for a person and then runs", async () => {
  const printed = await runExample("strands.mjs", await installedSdk("strands"));
  expect(printed).toContain("a person is asked: This goes to production.");
  expect(printed).toContain("git/force-push-protected");
  expect(printed).toContain("(ran deploy shop)");
  expect(printed).toContain("answer: Deployed, not pushed.");
});
