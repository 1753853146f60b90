import { describe, expect, it } from "vitest";
import { optional, text } from "../core/fields.ts";
import { agentScene } from "./agent.fixture.ts";
import { type AiSdk, aiSdkModel } from "./ai-sdk-model.ts";
import { jsonMode } from "./json-mode.ts";
import { scriptedModel } from "./scripted-model.ts";
import type { Tool } from "./tools/tool.ts";

const scene = agentScene();
const allow = () => ({ allow: true }) as const;

describe("JSON mode", () => {
  it("F-10 calls are read from the text, run through the same hooks, and their results shown as text", async () => {
    scene.hooks({
      on: "pre_tool_use",
      script: `case "$event" in *stopme*) echo '{"decision":"block","reason":"no"}';; esac`,
    });
    const inner = scriptedModel([
      '{"calls":[{"tool":"shell","input":{"command":"echo one"}},{"tool":"shell","input":{"command":"echo stopme"}}]}',
      '```json\n{"tool":"shell","input":{"command":"echo two"}}\n```',
      "done",
    ]);
    const { agent } = await scene.agent([], { model: jsonMode(inner), ask: allow });
    expect(await (await agent.open()).send("go")).toEqual({ status: "completed", text: "done" });
    expect(scene.of("tool_finished").map(({ output }) => output)).toEqual(["one", "two"]);
    expect(scene.of("tool_blocked")).toHaveLength(1);
    const [first, second] = inner.requests;
    expect(first?.messages[0]).toMatchObject({
      role: "system",
      text: expect.stringContaining("- shell: Runs a command"),
    });
    expect(second?.messages.every(({ role }) => role !== "tool")).toBe(true);
    expect(JSON.stringify(second?.messages)).toMatch(/returned:\\none.*failed:\\nError: no/);
  });

  it("words stay words, also where they look like JSON", async () => {
    for (const text of ['{"answer": 42}', '{"calls":[]}', '{"calls":[{"tool":5}]}', "[1]", "{broken"]) {
      const request = { messages: [], tools: [], signal: new AbortController().signal };
      expect(await jsonMode(scriptedModel([text])).answer(request), text).toEqual({ text, calls: [] });
    }
  });
});

describe("an input that is no object runs nothing", () => {
  const all: string[] = [];
  const clears: Tool = {
    name: "clear",
    description: "clears what matches, or all",
    input: { matching: optional(text("what to clear")) },
    run: ({ matching }) => all.push(String(matching ?? "everything")) && "cleared",
  };

  it.each([
    [
      "of the AI SDK, which hands on what it could not read",
      () => {
        const answers = [
          { text: "", toolCalls: [{ toolCallId: "t1", toolName: "clear", input: '{"matching": "tmp' }] },
          { text: "done", toolCalls: [] },
        ];
        const sdk = { jsonSchema: (schema: object) => schema, generateText: async () => answers.shift() as never };
        return aiSdkModel({ modelId: "some-model" }, { sdk });
      },
    ],
    ["in JSON mode", () => jsonMode(scriptedModel(['{"tool":"clear","input":"tmp"}', "done"]))],
  ])("%s", async (_of, model) => {
    all.splice(0);
    const { agent } = await scene.agent([], { model: model(), ask: allow, tools: [clears] });
    expect(await (await agent.open()).send("go")).toEqual({ status: "completed", text: "done" });
    expect(all).toEqual([]);
    expect(scene.of("tool_finished").at(-1)).toMatchObject({ failed: true, output: expect.stringContaining("fit") });
  });
});

describe("a model of the AI SDK", () => {
  it("is shown messages in the SDK's form and asked for one step, its calls handed to us", async () => {
    const asked: Record<string, unknown>[] = [];
    const sdk: AiSdk = {
      jsonSchema: (schema) => ({ schema }),
      async generateText(options) {
        asked.push(options);
        return asked.length === 1
          ? { text: "", toolCalls: [{ toolCallId: "t1", toolName: "shell", input: { command: "echo out" } }] }
          : { text: "done", toolCalls: [] };
      },
    };
    const model = aiSdkModel({ modelId: "some-model" }, { sdk });
    const { agent } = await scene.agent([], { model, ask: allow, instructions: "be brief" });
    expect(await (await agent.open()).send("go")).toEqual({ status: "completed", text: "done" });
    expect(asked[0]).toMatchObject({ system: "be brief", messages: [{ role: "user", content: "go" }] });
    expect(asked[1]?.messages).toMatchObject([
      { role: "user" },
      { role: "assistant", content: [{ type: "tool-call", toolCallId: "t1", toolName: "shell" }] },
      { role: "tool", content: [{ type: "tool-result", toolCallId: "t1", output: { type: "text", value: "out" } }] },
    ]);
  });
});
