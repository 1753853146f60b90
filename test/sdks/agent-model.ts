/** The reference agent with a model of the real AI SDK: its own mock model, asked through generateText. */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createAgent } from "../../src/agent/agent.ts";
import { aiSdkModel } from "../../src/agent/ai-sdk-model.ts";
import { jsonMode } from "../../src/agent/json-mode.ts";
import { defineHook } from "../../src/custom/define-hook.ts";
import { loadSdk, type SdkName } from "./installed-sdk.ts";

type Step = string | { readonly command: string };

export function agentModelSuite(sdk: Extract<SdkName, "ai-6" | "ai-7">): void {
  describe(`the agent with a model of ${sdk}`, () => {
    it("a tool call of the model goes through our hooks, and its result back to the model", async () => {
      const { result, saw } = await play(sdk, [{ command: "echo fine" }, { command: "echo stopme" }, "done"], false);
      expect(result).toEqual({ status: "completed", text: "done" });
      expect(saw[0]).toContain("be brief");
      expect(saw[1]).toContain('"toolName":"shell"');
      expect(saw[1]).toMatch(/"type":"tool-result".*fine/);
      expect(saw[2]).toMatch(/"type":"error-text".*Error: not that/);
    });

    it("the same in JSON mode, where the SDK sees nothing but text", async () => {
      const { result, saw } = await play(sdk, [{ command: "echo fine" }, { command: "echo stopme" }, "done"], true);
      expect(result).toEqual({ status: "completed", text: "done" });
      expect(saw.join("")).not.toContain("tool-result");
      expect(saw[1]).toMatch(/returned:\\nfine/);
      expect(saw[2]).toMatch(/failed:\\nError: not that/);
    });
  });
}

async function play(sdk: SdkName, script: readonly Step[], json: boolean) {
  const ai = await loadSdk(sdk, "ai");
  const { MockLanguageModelV4, MockLanguageModelV3 } = await loadSdk(sdk, "ai/test");
  const saw: string[] = [];
  const left = [...script];
  const mock = new (MockLanguageModelV4 ?? MockLanguageModelV3)({
    doGenerate: async ({ prompt }: { prompt: unknown }) => {
      saw.push(JSON.stringify(prompt));
      return answer(left.shift() ?? "the script is over", saw.length, json);
    },
  });
  const dir = mkdtempSync(join(tmpdir(), "holdfast-agent-model-"));
  mkdirSync(join(dir, "project"));
  const model = aiSdkModel(mock, { sdk: ai });
  const agent = await createAgent({
    model: json ? jsonMode(model) : model,
    instructions: "be brief",
    cwd: join(dir, "project"),
    env: { PATH: process.env.PATH, HOME: dir, HOLDFAST_CONFIG_DIR: dir, HOLDFAST_STATE_DIR: join(dir, "state") },
    distDir: join(import.meta.dirname, "../../dist"),
    hooks: [
      defineHook({
        name: "guard",
        on: ["pre_tool_use"],
        judge: ({ tool }) => (JSON.stringify(tool.input).includes("stopme") ? { block: "not that" } : undefined),
      }),
    ],
    ask: () => ({ allow: true }),
  });
  try {
    const result = await (await agent.open()).send("go");
    return { result, saw };
  } finally {
    await agent.close();
    rmSync(dir, { recursive: true, force: true });
  }
}

function answer(step: Step, id: number, json: boolean) {
  const call = typeof step === "string" ? undefined : step;
  const native = call && !json;
  const text = typeof step === "string" ? step : JSON.stringify({ tool: "shell", input: call });
  const content = native
    ? [{ type: "tool-call", toolCallId: `c${id}`, toolName: "shell", input: JSON.stringify(call) }]
    : [{ type: "text", text }];
  const unified = native ? "tool-calls" : "stop";
  const usage = {
    inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 1, text: 1, reasoning: 0 },
  };
  return { content, finishReason: { unified, raw: unified }, usage, warnings: [] };
}
