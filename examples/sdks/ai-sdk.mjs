// An agent of the Vercel AI SDK under your rules. The model is scripted; put any provider's in its place.
//   npm install holdfast ai && node ai-sdk.mjs
import * as ai from "ai";
import { MockLanguageModelV3 } from "ai/test";
import { createHoldfast, defineHook } from "holdfast";
import { AiSdkGuard } from "holdfast/ai-sdk";

const holdfast = await createHoldfast({
  host: "my-agent",
  tools: { shell: { kind: "shell", command: "command" } },
  hooks: [
    defineHook({
      name: "tests-before-the-end",
      on: ["stop"],
      judge: ({ lastAssistantMessage }) =>
        lastAssistantMessage?.includes("tests") ? undefined : { continue: "Say whether the tests pass." },
    }),
  ],
});
const guard = new AiSdkGuard({ ai, session: holdfast.session({ user: "mona" }) });

const shell = {
  description: "runs a command",
  inputSchema: ai.jsonSchema({
    type: "object",
    properties: { command: { type: "string" } },
    required: ["command"],
    additionalProperties: false,
  }),
  execute: ({ command }) => `(ran ${command})`,
};

const call = (toolCallId, command) => ({
  type: "tool-call",
  toolCallId,
  toolName: "shell",
  input: JSON.stringify({ command }),
});
const says = (text) => ({ type: "text", text });
const script = [
  [call("1", "git push --force origin main"), call("2", "git status")],
  [says("Pushed nothing.")],
  [says("The tests pass.")],
];
const model = new MockLanguageModelV3({
  async doGenerate({ prompt }) {
    console.log("model is sent:", JSON.stringify(prompt.at(-1).content, null, 1));
    const content = script.shift();
    const unified = content[0].type === "text" ? "stop" : "tool-calls";
    const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
    return { content, finishReason: { unified, raw: unified }, usage, warnings: [] };
  },
});

const { text } = await guard.generateText({
  model,
  tools: { shell },
  stopWhen: ai.stepCountIs(10),
  prompt: "Push my work.",
});
console.log("answer:", text);
await guard.end("done");
await holdfast.close();
