/** Where the AI SDK surprises (sdks.md 24 and 29), as tests of the binding. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { AiSdkGuard } from "../../src/bindings/ai-sdk.ts";
import { support } from "../../src/bindings/ai-sdk-support.ts";
import { defineHook } from "../../src/custom/define-hook.ts";
import { scriptedModel } from "./ai-sdk-driver.ts";
import { loadSdk } from "./installed-sdk.ts";
import { type Workbench, workbench } from "./workbench.ts";

export function aiSdkTraps(sdk: "ai-6" | "ai-7"): void {
  describe(`${sdk}: the traps`, () => {
    let bench: Workbench;
    beforeEach(() => {
      bench = workbench();
    });
    afterEach(() => bench.close());

    const script = [
      { calls: [{ id: "call_1", name: "look", input: { when: "2026-11-15", limit: "3" } }] },
      { text: "done" },
    ];

    async function scene(hooks: Parameters<Workbench["session"]>[0]["hooks"]) {
      const ai = await loadSdk(sdk, "ai");
      const test = await loadSdk(sdk, "ai/test");
      const { z } = await loadSdk(sdk, "zod");
      const session = await bench.session({ hooks: hooks ?? [] });
      const saw: string[] = [];
      const model = scriptedModel(test.MockLanguageModelV4 ?? test.MockLanguageModelV3, script, saw);
      return { ai, z, saw, model, guard: new AiSdkGuard({ ai, session }) };
    }

    it("a tool without execute is refused: hooks would not see what a provider runs", async () => {
      const { guard } = await scene([]);
      expect(() => guard.tools({ web_search: { inputSchema: {} } })).toThrow("hooks would not see it");
      const open = new AiSdkGuard({
        ai: await loadSdk(sdk, "ai"),
        session: await bench.session({}),
        unguarded: ["web_search"],
      });
      expect(Object.keys(open.tools({ web_search: { inputSchema: {} } }))).toEqual(["web_search"]);
    });

    it("an input nobody changed reaches the tool as the schema parsed it; a rewritten one is parsed too", async () => {
      const inputs: unknown[] = [];
      const rewrites = defineHook({
        name: "more",
        on: ["pre_tool_use"],
        judge: () => ({ rewrite: { when: "2026-12-24" } }),
      });
      for (const hooks of [[], [rewrites]]) {
        const { z, guard, ai, model } = await scene(hooks);
        const inputSchema = z.object({ when: z.string(), limit: z.coerce.number().default(1) });
        const look = { inputSchema, execute: (input: unknown) => void inputs.push(input) };
        await guard.generateText({ model, tools: { look }, stopWhen: ai.stepCountIs(5), prompt: "go" });
      }
      expect(inputs).toEqual([
        { when: "2026-11-15", limit: 3 },
        { when: "2026-12-24", limit: 1 },
      ]);
    });

    it("29.4 a rewrite is checked against the schema, which the SDK itself does not do", async () => {
      const inputs: unknown[] = [];
      const spoils = defineHook({ name: "spoils", on: ["pre_tool_use"], judge: () => ({ rewrite: { when: 7 } }) });
      const { z, guard, ai, model, saw } = await scene([spoils]);
      const look = {
        inputSchema: z.object({ when: z.string() }),
        execute: (input: unknown) => void inputs.push(input),
      };
      await guard.generateText({ model, tools: { look }, stopWhen: ai.stepCountIs(5), prompt: "go" });
      expect(inputs).toEqual([]);
      expect(saw[1]).toContain("spoils");
    });

    it("an output nobody changed is given back as it is, and a streamed one when it is whole", async () => {
      const seen: unknown[] = [];
      const looks = defineHook({ name: "l", on: ["post_tool_use"], judge: ({ response }) => void seen.push(response) });
      const { guard, ai, model, z, saw } = await scene([looks]);
      async function* execute() {
        yield "one";
        yield "one and two";
      }
      const tools = { look: { inputSchema: z.object({ when: z.string() }), execute } };
      await guard.generateText({ model, tools, stopWhen: ai.stepCountIs(5), prompt: "go" });
      expect(seen).toEqual(["one and two"]);
      expect(saw[1]).toContain("one and two");
    });

    describe("an agent's prepareCall", () => {
      const no = defineHook({ name: "no", on: ["pre_tool_use"], judge: () => ({ block: "not today" }) });
      const ran: string[] = [];
      beforeEach(() => void ran.splice(0));
      // biome-ignore lint/suspicious/noExplicitAny: the SDK's settings
      type Prepare = (settings: any, tool: (name: string) => object) => object;

      async function agentWith(hooks: Parameters<typeof scene>[0], prepare: Prepare, suspend = false) {
        const { ai, z, model, saw } = await scene([]);
        const inputSchema = z.object({ when: z.string() });
        const tool = (name: string) => ({ inputSchema, execute: () => ran.push(name) });
        const guard = new AiSdkGuard({ ai, session: await bench.session({ hooks: hooks ?? [] }), suspend });
        const prepareCall = (settings: object) => prepare(settings, tool);
        const agent = new ai.ToolLoopAgent(guard.settings({ model, tools: { look: tool("look") }, prepareCall }));
        await guard.begin("go");
        return { saw, result: await agent.generate({ prompt: "go" }) };
      }

      it.each([
        [
          "brings",
          (settings: object, tool: (name: string) => object) => ({ ...settings, tools: { look: tool("evil") } }),
        ],
        ["hands on", (settings: object) => ({ ...settings })],
      ])("29.2 tools that it %s are guarded", async (_how, prepare) => {
        const { saw } = await agentWith([no], prepare);
        expect(ran).toEqual([]);
        expect(saw[1]).toContain("not today");
      });

      it("what it hands on is judged once, and what it changes otherwise holds", async () => {
        let judged = 0;
        const counts = defineHook({ name: "counts", on: ["pre_tool_use"], judge: () => void judged++ });
        const { saw } = await agentWith([counts], (settings) => ({ ...settings, instructions: "be brief" }));
        expect(ran).toEqual(["look"]);
        expect(judged).toBe(1);
        expect(saw[0]).toContain("be brief");
      });

      it("a tool that it brings waits for a person like any other", async () => {
        const asks = defineHook({ name: "asks", on: ["pre_tool_use"], judge: () => ({ ask: "is this fine?" }) });
        const brings: Prepare = (settings, tool) => ({ ...settings, tools: { look: tool("brought") } });
        const { result } = await agentWith([asks], brings, true);
        expect(ran).toEqual([]);
        expect(result.content.map(({ type }: { type: string }) => type)).toContain("tool-approval-request");
      });
    });

    describe("a tool's own toModelOutput", () => {
      const KEY = "the key is 12345";
      const hides = defineHook({
        name: "hides",
        on: ["post_tool_use"],
        judge: ({ response }) => (JSON.stringify(response).includes("12345") ? { rewrite: "[hidden]" } : undefined),
      });
      async function shown(output: () => unknown, toModelOutput: (returned: never) => unknown) {
        const { ai, z, guard, model, saw } = await scene([hides]);
        const look = { inputSchema: z.object({ when: z.string() }), execute: output, toModelOutput };
        const result = await guard.generateText({ model, tools: { look }, stopWhen: ai.stepCountIs(5), prompt: "go" });
        expect(result.text).toBe("done");
        return saw[1] ?? "";
      }
      const text = (value: unknown) => ({ type: "text", value });

      it("is given no more than hooks saw: a Map holds what JSON does not", async () => {
        const entries = ({ output }: { output: unknown }) => text(output instanceof Map ? [...output].join() : "none");
        expect(await shown(() => new Map([["key", KEY]]), entries as never)).not.toContain("12345");
      });

      it("that cannot read what hooks made of an output does not end the run: the model is shown that", async () => {
        const reads = ({ output }: { output: { a: { b: string } } }) => text(output.a.b);
        expect(await shown(() => ({ a: { b: KEY } }), reads as never)).toContain("[hidden]");
      });

      it("gets an output that nobody changed as it is: dates and bytes too", async () => {
        const reads = ({ output }: { output: { at: Date; bytes: Uint8Array } }) =>
          text(`${output.at.getUTCFullYear()} ${output.bytes.length} bytes`);
        const output = () => ({ at: new Date("2026-11-16"), bytes: new Uint8Array([1, 2, 3]) });
        expect(await shown(output, reads as never)).toContain("2026 3 bytes");
      });
    });

    it("F-15 a rewritten rich result keeps its content type and what else is in it", async () => {
      const hides = defineHook({
        name: "hides",
        on: ["post_tool_use"],
        judge: ({ response }) => ({ rewrite: { ...(response as object), text: "[hidden]" } }),
      });
      const { ai, z, guard, model, saw } = await scene([hides]);
      const picture = new Uint8Array([1, 2, 3]);
      const outputs: unknown[] = [];
      const look = {
        inputSchema: z.object({ when: z.string() }),
        execute: () => ({ text: "the key is 12345", picture, rows: 3 }),
        toModelOutput: ({ output }: { output: { text: string; picture: Uint8Array; rows: number } }) => {
          outputs.push(output);
          const data = Buffer.from(output.picture).toString("base64");
          const media = { type: sdk === "ai-6" ? "media" : "file-data", data, mediaType: "image/png" };
          return { type: "content", value: [{ type: "text", text: output.text }, media] };
        },
      };
      const result = await guard.generateText({ model, tools: { look }, stopWhen: ai.stepCountIs(5), prompt: "go" });
      expect(result.text).toBe("done");
      expect(outputs).toEqual([{ text: "[hidden]", picture, rows: 3 }]);
      expect(saw[1]).toContain("image/png");
      expect(saw[1]).toContain("[hidden]");
      expect(saw[1]).not.toContain("12345");
    });

    if (sdk === "ai-7") {
      describe("tools that the SDK makes others of", () => {
        const no = defineHook({
          name: "no",
          on: ["pre_tool_use"],
          judge: ({ tool }) => (tool.name === "look" ? { block: "not that" } : undefined),
        });

        it.each([
          ["the caller itself", "look", []],
          ["what it calls", "act", ["called"]],
        ])("29.2 a tool caller: %s is judged", async (_what, name, expected) => {
          const ran: string[] = [];
          const { ai, z, guard, saw } = await scene([no]);
          const test = await loadSdk(sdk, "ai/test");
          const calls = [{ id: "call_1", name, input: { when: "now" } }];
          const model = scriptedModel(test.MockLanguageModelV4, [{ calls }, { text: "done" }], saw);
          const inputSchema = z.object({ when: z.string() });
          const other = name === "look" ? "act" : "look";
          // biome-ignore lint/suspicious/noExplicitAny: the SDK's tools
          const bind = (tools: any) => ({
            inputSchema,
            execute: async (input: object, options: object) => {
              ran.push("called");
              return tools[other].execute(input, options);
            },
          });
          const tools = {
            [name]: ai.experimental_toolCaller({ inputSchema, execute: () => "unbound" }, { type: "local", bind }),
            [other]: { inputSchema, execute: () => ran.push("ran") },
          };
          const experimental_toolCallers = { [other]: [name] };
          const options = { model, tools, experimental_toolCallers, stopWhen: ai.stepCountIs(5), prompt: "go" };
          expect((await guard.generateText(options)).text).toBe("done");
          expect(ran).toEqual(expected);
          expect(saw[1]).toContain("not that");
        });

        it("toolSearch, which the SDK runs past its execute, is refused until it is accepted", async () => {
          const { ai, guard } = await scene([]);
          const tools = { find: ai.toolSearch() };
          expect(() => guard.tools(tools)).toThrow("hooks would not see it");
          const open = new AiSdkGuard({ ai, session: await bench.session({}), unguarded: ["find"] });
          expect(open.tools(tools)).toEqual(tools);
        });
      });
    }

    it("streamText is guarded by the same settings", async () => {
      const no = defineHook({ name: "no", on: ["pre_tool_use"], judge: () => ({ block: "not today" }) });
      const { guard, ai, model, z } = await scene([no]);
      const { simulateReadableStream } = ai;
      let ran = 0;
      const answers: string[] = [];
      model.doStream = async ({ prompt }: { prompt: unknown }) => {
        answers.push(JSON.stringify(prompt));
        const { content, finishReason, usage } = await model.doGenerate({ prompt });
        const chunks = [
          { type: "stream-start", warnings: [] },
          ...content.flatMap((part: { type: string; text?: string }) =>
            part.type === "text"
              ? [
                  { type: "text-start", id: "1" },
                  { type: "text-delta", id: "1", delta: part.text },
                  { type: "text-end", id: "1" },
                ]
              : [part],
          ),
          { type: "finish", finishReason, usage },
        ];
        return { stream: simulateReadableStream({ chunks, initialDelayInMs: null, chunkDelayInMs: null }) };
      };
      const tools = { look: { inputSchema: z.object({ when: z.string() }), execute: () => ++ran } };
      await guard.begin("go");
      const result = ai.streamText({ ...guard.settings({ model, tools, stopWhen: ai.stepCountIs(5) }), prompt: "go" });
      expect(await result.text).toBe("done");
      expect(ran).toBe(0);
      expect(answers[1]).toContain("not today");
    });

    it("where hooks changed the input, the person who is asked sees what would run", async () => {
      const hooks = [
        defineHook({ name: "asks", on: ["pre_tool_use"], judge: () => ({ ask: "is this fine?" }) }),
        defineHook({ name: "moves", on: ["pre_tool_use"], judge: () => ({ rewrite: { when: "tomorrow" } }) }),
      ];
      const { ai, model, z } = await scene([]);
      const guard = new AiSdkGuard({ ai, session: await bench.session({ hooks }), suspend: true });
      const tools = { look: { inputSchema: z.object({ when: z.string() }), execute: () => "ran" } };
      await guard.generateText({ model, tools, stopWhen: ai.stepCountIs(5), prompt: "go" });
      expect(guard.questionOf("call_1")).toContain("is this fine?");
      expect(guard.questionOf("call_1")).toContain('{"when":"tomorrow"}');
    });

    it("a tool that wants approval by itself still gets it", async () => {
      const { ai, model, z } = await scene([]);
      const guard = new AiSdkGuard({ ai, session: await bench.session({}), suspend: true });
      let ran = 0;
      const look = { inputSchema: z.object({ when: z.string() }), needsApproval: true, execute: () => ++ran };
      const result = await guard.generateText({ model, tools: { look }, stopWhen: ai.stepCountIs(5), prompt: "go" });
      expect(result.content.map(({ type }: { type: string }) => type)).toContain("tool-approval-request");
      expect(ran).toBe(0);
    });

    it("29.3 a call that cannot be judged does not run, and does not end the run", async () => {
      const { ai, model, z, saw } = await scene([]);
      const session = await bench.session({});
      session.judgeTool = () => Promise.reject(new Error("the engine is gone"));
      const guard = new AiSdkGuard({ ai, session, suspend: true });
      let ran = 0;
      const tools = { look: { inputSchema: z.object({ when: z.string() }), execute: () => ++ran } };
      const result = await guard.generateText({ model, tools, stopWhen: ai.stepCountIs(5), prompt: "go" });
      expect(ran).toBe(0);
      expect(result.text).toBe("done");
      expect(saw[1]).toContain("the engine is gone");
    });

    it("of two tools called with one id each goes by its own decision and input", async () => {
      const no = defineHook({
        name: "no",
        on: ["pre_tool_use"],
        judge: ({ tool }) => (tool.name === "pay" ? { block: "not that" } : undefined),
      });
      const { ai, z } = await scene([]);
      const test = await loadSdk(sdk, "ai/test");
      const calls = ["pay", "look"].map((name) => ({ id: "call_1", name, input: { when: `for ${name}` } }));
      const model = scriptedModel(
        test.MockLanguageModelV4 ?? test.MockLanguageModelV3,
        [{ calls }, { text: "done" }],
        [],
      );
      const guard = new AiSdkGuard({ ai, session: await bench.session({ hooks: [no] }), suspend: true });
      const ran: unknown[] = [];
      const inputSchema = z.object({ when: z.string() });
      const toolNamed = (name: string) => ({
        inputSchema,
        execute: (input: object) => {
          ran.push({ name, ...input });
          return "ok";
        },
      });
      const tools = { pay: toolNamed("pay"), look: toolNamed("look") };
      await guard.generateText({ model, tools, stopWhen: ai.stepCountIs(5), prompt: "go" });
      expect(ran).toEqual([{ name: "look", when: "for look" }]);
    });

    it("what the SDK cannot express stands in the support table", () => {
      expect(support.pre_compaction?.how).toBe("never");
      expect(Object.values(support).every((row) => row && row.note !== "")).toBe(true);
    });
  });
}
