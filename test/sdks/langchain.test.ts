import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { guardedMiddleware, holdfastMiddleware } from "../../src/bindings/langchain.ts";
import { guardedSummary } from "../../src/bindings/langchain-summary.ts";
import { support } from "../../src/bindings/langchain-support.ts";
import { defineHook } from "../../src/custom/define-hook.ts";
import { conformance } from "./conformance.ts";
import type { ModelStep } from "./driver.ts";
import { loadSdk } from "./installed-sdk.ts";
import { langchainDriver, scriptedModel, toolOf } from "./langchain-driver.ts";
import { type Workbench, workbench } from "./workbench.ts";

conformance(langchainDriver);

describe("LangChain: the traps (sdks.md 25 and 29)", () => {
  let bench: Workbench;
  // biome-ignore lint/suspicious/noExplicitAny: the SDK's modules
  let langchain: any;
  // biome-ignore lint/suspicious/noExplicitAny: the SDK's modules
  let langgraph: any;
  beforeEach(async () => {
    bench = workbench();
    langchain = await loadSdk("langchain", "langchain");
    langgraph = await loadSdk("langchain", "@langchain/langgraph");
  });
  afterEach(() => bench.close());

  const SCRIPT: readonly ModelStep[] = [
    { calls: [{ id: "call_1", name: "bash", input: { command: "ls" } }] },
    { text: "done" },
  ];
  const config = { configurable: { thread_id: "one" } };
  const say = (text: string) => ({ messages: [new langchain.HumanMessage(text)] });
  const asks = defineHook({ name: "asks", on: ["pre_tool_use"], judge: () => ({ ask: "is this fine?" }) });

  it("29.8 an interrupt of a tool itself passes: the run is suspended, and no hook saw an end of the call", async () => {
    const ends: unknown[] = [];
    const looks = defineHook({ name: "l", on: ["post_tool_use"], judge: ({ response }) => void ends.push(response) });
    const session = await bench.session({ hooks: [looks] });
    const choose = langchain.tool(() => `chose ${langgraph.interrupt("which?")}`, {
      name: "bash",
      description: "asks",
      schema: { type: "object", properties: { command: { type: "string" } } },
    });
    const saw: string[] = [];
    const agent = langchain.createAgent({
      model: scriptedModel(langchain, SCRIPT, saw),
      tools: [choose],
      middleware: [holdfastMiddleware({ langchain, session })],
      checkpointer: new langgraph.MemorySaver(),
    });
    const first = await agent.invoke(say("go"), config);
    expect(first.__interrupt__).toMatchObject([{ value: "which?" }]);
    expect(ends).toEqual([]);
    await agent.invoke(new langgraph.Command({ resume: "left" }), config);
    expect(ends).toEqual(["chose left"]);
    expect(saw[1]).toContain("chose left");
  });

  it("29.6 on resume the rules are asked again, and the context of the first time is not lost", async () => {
    let judged = 0;
    const hooks = [
      asks,
      defineHook({
        name: "counts",
        on: ["pre_tool_use"],
        judge: () => ({ context: `mind the gap${++judged > 2 ? "!" : ""}` }),
      }),
    ];
    const session = await bench.session({ hooks });
    const saw: string[] = [];
    const agent = langchain.createAgent({
      model: scriptedModel(langchain, SCRIPT, saw),
      tools: [toolOf(langchain, bench.bash())],
      middleware: [holdfastMiddleware({ langchain, session, suspend: true })],
      checkpointer: new langgraph.MemorySaver(),
    });
    await agent.invoke(say("go"), config);
    await agent.invoke(new langgraph.Command({ resume: { decisions: [{ type: "approve" }] } }), config);
    expect(judged).toBe(2);
    expect(saw[1]).toContain("mind the gap");
    expect(bench.toolRuns).toHaveLength(1);
  });

  it("without a checkpointer nobody can be asked: that call is blocked, the run goes on", async () => {
    const session = await bench.session({ hooks: [asks] });
    const saw: string[] = [];
    const agent = langchain.createAgent({
      model: scriptedModel(langchain, SCRIPT, saw),
      tools: [toolOf(langchain, bench.bash())],
      middleware: [holdfastMiddleware({ langchain, session, suspend: true })],
    });
    const { messages } = await agent.invoke(say("go"));
    expect(messages.at(-1).text).toBe("done");
    expect(saw[1]).toContain("is this fine?");
    expect(bench.toolRuns).toEqual([]);
  });

  describe("calls that wait, each for its own answer", () => {
    const yes = { decisions: [{ type: "approve" }] };
    const no = { decisions: [{ type: "reject", message: "not that one" }] };
    const twoCalls = (commands: readonly string[], ids: readonly (string | undefined)[]): ModelStep[] => [
      { calls: commands.map((command, at) => ({ id: ids[at] as string, name: "bash", input: { command } })) },
      { text: "done" },
    ];
    const waiting = async (script: readonly ModelStep[], settings: object = {}, suspend = true) => {
      const session = await bench.session({ hooks: [asks] });
      const saw: string[] = [];
      const agent = langchain.createAgent({
        model: scriptedModel(langchain, script, saw),
        tools: [toolOf(langchain, bench.bash())],
        middleware: [holdfastMiddleware({ langchain, session, suspend })],
        checkpointer: new langgraph.MemorySaver(),
        ...settings,
      });
      const first = await agent.invoke(say("go"), config);
      /** As LangGraph has several interrupts answered: by their ids. */
      const resume = (answers: readonly object[], asked = first.__interrupt__) =>
        agent.invoke(
          new langgraph.Command({
            resume: Object.fromEntries(asked.map(({ id }: { id: string }, at: number) => [id, answers[at]])),
          }),
          config,
        );
      return { first, resume, saw };
    };

    it("a call without an id is one of its own: a yes to each of two is asked for once", async () => {
      const { first, resume } = await waiting(twoCalls(["a", "b"], [undefined, undefined]));
      expect(first.__interrupt__).toHaveLength(2);
      const { __interrupt__: still = [] } = await resume([yes, yes]);
      expect(still).toEqual([]);
      expect(bench.toolRuns.map(({ input }) => input.command).sort()).toEqual(["a", "b"]);
      expect(bench.questionsKept()).toEqual([]);
    });

    it("likewise where both say the same, and a no is for the one it was said to", async () => {
      const { resume, saw } = await waiting(twoCalls(["a", "a"], [undefined, undefined]));
      const { __interrupt__: still = [] } = await resume([no, yes]);
      expect(still).toEqual([]);
      expect(bench.toolRuns).toHaveLength(1);
      expect(saw[1]).toContain("not that one");
      expect(bench.questionsKept()).toEqual([]);
    });

    it.each([
      ["where it can wait", true],
      ["where it cannot", false],
    ])("of a call without an id no record has the input for an id: %s", async (_where, suspend) => {
      await waiting(twoCalls(["a-s3cret"], [undefined]), {}, suspend);
      const calls = bench.records("audit").filter(({ event }) => event === "pre_tool_use");
      expect(calls.map(({ tool_use_id: id }) => id)).toEqual([
        suspend ? expect.stringMatching(/^[0-9a-f]{64}$/) : undefined,
      ]);
    });

    it("where a graph runs several calls in one step nobody is asked: an answer could be taken for another call's", async () => {
      const { first, saw } = await waiting(twoCalls(["a", "b"], ["call_1", "call_2"]), { version: "v1" });
      expect(first.__interrupt__).toBeUndefined();
      expect(bench.toolRuns).toEqual([]);
      expect(saw[1]).toContain("several calls in one step");
    });

    it("nor is an approval waited for there, and the model is told why", async () => {
      bench.configure("approvals:\n  - { when: { tool: bash } }\n");
      const { first, saw } = await waiting(twoCalls(["a", "b"], ["call_1", "call_2"]), { version: "v1" });
      expect(first.__interrupt__).toBeUndefined();
      expect(bench.toolRuns).toEqual([]);
      expect(saw[1]).toContain("is pending");
      expect(saw[1]).toContain("several calls in one step");
    });

    it("nor then runs one by what was said to another that was slower", async () => {
      let judged = 0;
      const slow = defineHook({
        name: "slow",
        on: ["pre_tool_use"],
        judge: async ({ tool }) => {
          if (judged++ >= 2 && tool.input.command === "a") await new Promise((resolve) => setTimeout(resolve, 500));
          return { ask: `${tool.input.command}?` };
        },
      });
      const session = await bench.session({ hooks: [slow] });
      const agent = langchain.createAgent({
        model: scriptedModel(langchain, twoCalls(["a", "b"], ["call_1", "call_2"]), []),
        tools: [toolOf(langchain, bench.bash())],
        middleware: [holdfastMiddleware({ langchain, session, suspend: true })],
        checkpointer: new langgraph.MemorySaver(),
        version: "v1",
      });
      const { __interrupt__: asked } = await agent.invoke(say("go"), config);
      if (asked) await agent.invoke(new langgraph.Command({ resume: yes }), config);
      expect(bench.toolRuns.map(({ input }) => input.command)).not.toContain("b");
    });

    it("one call alone in such a step waits and runs", async () => {
      const { resume } = await waiting(SCRIPT, { version: "v1" });
      await resume([yes]);
      expect(bench.toolRuns).toHaveLength(1);
    });
  });

  it.each([
    ["no longer asks", undefined],
    ["now asks something else", "and on a Friday?"],
  ])("a tool's own question is never answered by what was said to a hook, where the hook %s", async (_how, then) => {
    const script: readonly (string | undefined)[] = ["is this fine?", then];
    let judged = 0;
    const asksOnce = defineHook({
      name: "asks-once",
      on: ["pre_tool_use"],
      judge: () => {
        const ask = script[Math.min(judged++, 1)];
        return ask === undefined ? undefined : { ask };
      },
    });
    const session = await bench.session({ hooks: [asksOnce] });
    const heard: unknown[] = [];
    const choose = langchain.tool(
      () => {
        heard.push(langgraph.interrupt("which?"));
        return `chose ${heard.at(-1)}`;
      },
      { name: "bash", description: "asks", schema: { type: "object", properties: { command: { type: "string" } } } },
    );
    const saw: string[] = [];
    const agent = langchain.createAgent({
      model: scriptedModel(langchain, SCRIPT, saw),
      tools: [choose],
      middleware: [holdfastMiddleware({ langchain, session, suspend: true })],
      checkpointer: new langgraph.MemorySaver(),
    });
    let state = await agent.invoke(say("go"), config);
    const asked: unknown[] = [];
    while (state.__interrupt__?.length) {
      const [{ value }] = state.__interrupt__;
      asked.push(value.actionRequests?.[0].description ?? value);
      const resume = value === "which?" ? "left" : { decisions: [{ type: "approve" }] };
      state = await agent.invoke(new langgraph.Command({ resume }), config);
    }
    expect(asked).toEqual(["is this fine?", ...(then === undefined ? [] : [then]), "which?"]);
    expect(heard).toEqual(["left"]);
    expect(saw[1]).toContain("chose left");
  });

  it("29.2 middleware that tries a failed tool again has each try judged, and still sees it fail", async () => {
    let judged = 0;
    const twice = defineHook({
      name: "twice",
      on: ["pre_tool_use"],
      judge: () => (++judged > 2 ? { block: "twice is enough" } : undefined),
    });
    const saw: string[] = [];
    const fails = bench.bash(() => {
      throw new Error("disk is full");
    });
    const agent = langchain.createAgent({
      model: scriptedModel(langchain, SCRIPT, saw),
      tools: [toolOf(langchain, fails)],
      middleware: [
        holdfastMiddleware({ langchain, session: await bench.session({ hooks: [twice] }) }),
        langchain.toolRetryMiddleware({ maxRetries: 3, initialDelayMs: 1 }),
      ],
    });
    await agent.invoke(say("go"));
    expect(bench.toolRuns).toHaveLength(2);
    expect(saw[1]).toContain("twice is enough");
  });

  it.each(["before", "after"])("29.2 a tool that middleware %s ours registers with the agent is judged", async (at) => {
    const noOther = defineHook({
      name: "no-other",
      on: ["pre_tool_use"],
      judge: ({ tool }) => (tool.name === "other" ? { block: "no others" } : undefined),
    });
    const session = await bench.session({ hooks: [noOther] });
    const brings = langchain.createMiddleware({
      name: "Brings",
      tools: [toolOf(langchain, { ...bench.bash(), name: "other" })],
    });
    const ours = holdfastMiddleware({ langchain, session });
    const saw: string[] = [];
    const script = [{ calls: [{ id: "call_1", name: "other", input: { command: "ls" } }] }, { text: "done" }];
    const agent = langchain.createAgent({
      model: scriptedModel(langchain, script, saw),
      tools: [],
      middleware: at === "before" ? [brings, ours] : [ours, brings],
    });
    await agent.invoke(say("go"));
    expect(bench.toolRuns).toEqual([]);
    expect(saw[1]).toContain("no others");
  });

  describe("29.2 middleware that brings a tool of its own", () => {
    // biome-ignore lint/suspicious/noExplicitAny: the SDK's requests
    type Request = any;
    type Change = (request: Request, other: unknown) => object;
    const ran: unknown[] = [];
    const seen: string[] = [];
    beforeEach(() => {
      ran.splice(0);
      seen.splice(0);
    });
    const sees = defineHook({
      name: "sees",
      on: ["pre_tool_use", "post_tool_use"],
      judge: ({ name, tool }) => void seen.push(`${name} ${tool.name}`),
    });
    const noOther = defineHook({
      name: "no-other",
      on: ["pre_tool_use"],
      judge: ({ tool }) => (tool.name === "other" ? { block: "no others" } : undefined),
    });
    const agentWith = async (change: Change, hooks: (typeof sees)[], settings: { suspend?: boolean } = {}) => {
      const session = await bench.session({ hooks });
      const { parameters, description } = bench.bash();
      const named = (name: string) =>
        toolOf(langchain, { name, description, parameters, run: (input) => ran.push(input) && `a secret of ${name}` });
      const saw: string[] = [];
      const other = named("other");
      const own = langchain.createMiddleware({
        name: "Own",
        wrapToolCall: (request: Request, handler: Request) => handler(change(request, other)),
      });
      const agent = langchain.createAgent({
        model: scriptedModel(langchain, SCRIPT, saw),
        tools: [named("bash"), other],
        middleware: guardedMiddleware({ langchain, session, ...settings }, [own]),
        checkpointer: new langgraph.MemorySaver(),
      });
      return { agent, saw };
    };
    const swaps: [string, Change][] = [
      ["in place of the agent's", (request, tool) => ({ ...request, tool })],
      [
        "by another name in the call",
        (request) => ({ ...request, tool: undefined, toolCall: { ...request.toolCall, name: "other" } }),
      ],
    ];

    it.each(swaps)("%s: it is judged by that name, and not run", async (_how, change) => {
      const { agent, saw } = await agentWith(change, [noOther, sees]);
      await agent.invoke(say("go"), config);
      expect(ran).toEqual([]);
      expect(saw[1]).toContain("no others");
      expect(seen).not.toContain("post_tool_use other");
    });

    it.each(swaps)("%s: its output is looked at", async (_how, change) => {
      const hides = defineHook({
        name: "hides",
        on: ["post_tool_use"],
        judge: ({ tool }) => (tool.name === "other" ? { rewrite: "[hidden]" } : undefined),
      });
      const { agent, saw } = await agentWith(change, [sees, hides]);
      await agent.invoke(say("go"), config);
      expect(ran).toHaveLength(1);
      expect(saw[1]).toContain("[hidden]");
      expect(saw[1]).not.toContain("a secret");
    });

    it.each(swaps)("%s: a question about it waits, and its answer is for it", async (_how, change) => {
      const asksOther = defineHook({
        name: "asks-other",
        on: ["pre_tool_use"],
        judge: ({ tool }) => (tool.name === "other" ? { ask: "the other?" } : undefined),
      });
      const { agent, saw } = await agentWith(change, [asksOther], { suspend: true });
      const first = await agent.invoke(say("go"), config);
      expect(first.__interrupt__[0].value.actionRequests).toMatchObject([{ name: "other", description: "the other?" }]);
      expect(ran).toEqual([]);
      await agent.invoke(new langgraph.Command({ resume: { decisions: [{ type: "approve" }] } }), config);
      expect(ran).toHaveLength(1);
      expect(saw[1]).toContain("a secret of other");
    });

    it("by the name the call has: that is the call hooks looked at, and they look once", async () => {
      const { description, parameters } = bench.bash();
      const run = (input: object) => ran.push(input) && "fine";
      const given = toolOf(langchain, { name: "bash", description, parameters, run });
      const { agent } = await agentWith((request) => ({ ...request, tool: given }), [sees]);
      await agent.invoke(say("go"), config);
      expect(ran).toEqual([{ command: "ls" }]);
      expect(seen).toEqual(["pre_tool_use bash", "post_tool_use bash"]);
    });

    it("by the name the call has, with another input: that is judged", async () => {
      const { agent, saw } = await agentWith((request) => {
        const toolCall = { ...request.toolCall, args: { command: "git push --force origin main" } };
        return { ...request, tool: undefined, toolCall };
      }, []);
      await agent.invoke(say("go"), config);
      expect(ran).toEqual([]);
      expect(saw[1]).toContain("git/force-push-protected");
    });

    it("in a request that it made anew: it is not run, and is told what to do", async () => {
      const { agent, saw } = await agentWith(
        ({ toolCall, state, runtime }, tool) => ({ toolCall, state, runtime, tool }),
        [],
      );
      await agent.invoke(say("go"), config);
      expect(ran).toEqual([]);
      expect(saw[1]).toContain("must pass on the one it was given");
    });
  });

  it("F-15 a rewritten rich result keeps its blocks, its picture and its artifact", async () => {
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
    const picture = { type: "image_url", image_url: { url: "data:image/png;base64,cGljdHVyZQ==" } };
    const look = langchain.tool(() => [[{ type: "text", text: "the key is 12345" }, picture], { rows: 3 }], {
      name: "bash",
      description: "looks",
      schema: { type: "object", properties: {} },
      responseFormat: "content_and_artifact",
    });
    const saw: string[] = [];
    const agent = langchain.createAgent({
      model: scriptedModel(langchain, SCRIPT, saw),
      tools: [look],
      middleware: [holdfastMiddleware({ langchain, session: await bench.session({ hooks: [hides] }) })],
    });
    const { messages } = await agent.invoke(say("go"));
    const message = messages.find((one: { getType(): string }) => one.getType() === "tool");
    expect(message.content).toEqual([{ type: "text", text: "[hidden]" }, picture]);
    expect(message.artifact).toEqual({ rows: 3 });
    expect(saw.join()).not.toContain("12345");
  });

  it("a Command that a tool returns takes effect, unless hooks hide its output", async () => {
    const update = (session: unknown) => {
      const remember = langchain.tool(
        (_: unknown, { toolCall }: { toolCall: { id: string } }) =>
          new langgraph.Command({
            update: { messages: [new langchain.ToolMessage({ content: "secret 42", tool_call_id: toolCall.id })] },
          }),
        { name: "bash", description: "remembers", schema: { type: "object", properties: {} } },
      );
      const saw: string[] = [];
      const agent = langchain.createAgent({
        model: scriptedModel(langchain, SCRIPT, saw),
        tools: [remember],
        middleware: [holdfastMiddleware({ langchain, session: session as never })],
      });
      return agent.invoke(say("go")).then(() => saw[1]);
    };
    expect(await update(await bench.session({}))).toContain("secret 42");
    const hides = defineHook({ name: "hides", on: ["post_tool_use"], judge: () => ({ rewrite: "[hidden]" }) });
    const hidden = await update(await bench.session({ hooks: [hides] }));
    expect(hidden).toContain("[hidden]");
    expect(hidden).not.toContain("secret 42");
  });

  it("a summary is compaction: hooks see it, add to it, and may leave the messages as they are", async () => {
    const run = async (hooks: NonNullable<Parameters<Workbench["session"]>[0]["hooks"]>) => {
      const session = await bench.session({ hooks });
      const saw: string[] = [];
      const summaries: string[] = [];
      const summarization = langchain.summarizationMiddleware({
        model: scriptedModel(langchain, [{ text: "they said hello" }], summaries),
        trigger: { messages: 3 },
        keep: { messages: 1 },
      });
      const agent = langchain.createAgent({
        model: scriptedModel(langchain, [{ text: "done" }], saw),
        tools: [],
        middleware: [guardedSummary({ langchain, session, summarization }), holdfastMiddleware({ langchain, session })],
      });
      const history = ["hello one", "hello two", "hello three"].map((text) => new langchain.HumanMessage(text));
      await agent.invoke({ messages: history });
      return saw[0] ?? "";
    };
    const seen: unknown[] = [];
    const adds = defineHook({
      name: "adds",
      on: ["post_compaction"],
      judge: ({ summary }) => {
        seen.push(summary);
        return { context: "and they meant it" };
      },
    });
    const compacted = await run([adds]);
    expect(seen).toEqual([expect.stringContaining("they said hello")]);
    expect(compacted).toContain("and they meant it");
    expect(compacted).not.toContain("hello one");
    const bars = defineHook({ name: "bars", on: ["pre_compaction"], judge: () => ({ block: "keep it all" }) });
    expect(await run([bars])).toContain("hello one");
  });

  it("what the SDK cannot express stands in the support table", () => {
    expect(support.session_end?.how).toBe("never");
  });
});
