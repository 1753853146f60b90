/** The AI SDK, 6 or 7, with its own mock model. */
import { AiSdkGuard, PromptBlocked } from "../../src/bindings/ai-sdk.ts";
import type { Driver, DriverRun, ModelStep, Ran, ScriptedTool } from "./driver.ts";
import { loadSdk, type SdkName } from "./installed-sdk.ts";

export function aiSdkDriver(sdk: Extract<SdkName, "ai-6" | "ai-7">): Driver {
  return {
    name: sdk === "ai-6" ? "AI SDK 6" : "AI SDK 7",
    history: "original",
    lacks: sdk === "ai-6" ? { "change a call": "nothing stands between a tool's execute and the tool" } : {},
    async run(run) {
      const ai = await loadSdk(sdk, "ai");
      const test = await loadSdk(sdk, "ai/test");
      return play(run, ai, test.MockLanguageModelV4 ?? test.MockLanguageModelV3);
    },
  };
}

/** A model that answers step by step and notes what it was sent. */
// biome-ignore lint/suspicious/noExplicitAny: the SDK's classes
export function scriptedModel(Model: any, script: readonly ModelStep[], saw: string[], first = 0) {
  let at = first;
  return new Model({
    doGenerate: async ({ prompt }: { prompt: unknown }) => {
      saw.push(JSON.stringify(prompt));
      const step = script[at++] ?? { text: "the script is over" };
      const calls = "calls" in step ? step.calls : [];
      const content = [
        ...("text" in step ? [{ type: "text", text: step.text }] : []),
        ...calls.map(({ id, name, input }) => ({
          type: "tool-call",
          toolCallId: id,
          toolName: name,
          input: JSON.stringify(input),
        })),
      ];
      const unified = calls.length > 0 ? "tool-calls" : "stop";
      const usage = {
        inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
        outputTokens: { total: 1, text: 1, reasoning: 0 },
      };
      return { content, finishReason: { unified, raw: unified }, usage, warnings: [] };
    },
  });
}

// biome-ignore lint/suspicious/noExplicitAny: the SDK's module and classes
async function play(run: DriverRun, ai: any, Model: any): Promise<Ran> {
  const { session, suspend, script } = run;
  const subAgentSaw: string[] = [];
  const toolOf = ({ description, parameters, run: execute }: ScriptedTool) => ({
    description,
    inputSchema: ai.jsonSchema(parameters),
    execute,
  });
  const toolsOf = (tools: readonly ScriptedTool[]) =>
    Object.fromEntries(tools.map((tool) => [tool.name, toolOf(tool)]));
  const { extension } = run;
  const refined = Object.fromEntries(run.tools.map(({ name }) => [name, extension]));
  const own = { stopWhen: ai.stepCountIs(10), ...(extension ? { experimental_refineToolInput: refined } : {}) };

  const guardedTools = (guard: AiSdkGuard) => {
    const subAgents = run.subAgents.map(({ name, description, script: lines, tools }) => [
      name,
      guard.subAgent({
        name,
        description,
        async run({ guard: child, prompt }) {
          const model = scriptedModel(Model, lines, subAgentSaw);
          const { text } = await child.generateText({ model, tools: toolsOf(tools), stopWhen: own.stopWhen, prompt });
          return text;
        },
      }),
    ]);
    return { ...toolsOf(run.tools), ...Object.fromEntries(subAgents) };
  };

  /** Each call is what a process of its own would do: a new guard, and messages as they were stored. */
  async function call(messages: unknown[], step: number): Promise<Ran> {
    const guard = new AiSdkGuard({ ai, session, suspend });
    const modelSaw: string[] = [];
    const model = scriptedModel(Model, script, modelSaw, step);
    try {
      const result = await guard.generateText({ model, tools: guardedTools(guard), ...own, messages });
      const request = result.content.find(({ type }: { type: string }) => type === "tool-approval-request");
      const answered = { modelSaw, subAgentSaw, answer: result.text };
      if (!request) return answered;
      return {
        ...answered,
        suspended: {
          reason: request.reason ?? guard.questionOf(request.toolCall.toolCallId) ?? "",
          resume: ({ approve }) => {
            const stored = JSON.parse(
              JSON.stringify([...messages, ...(result.responseMessages ?? result.response.messages)]),
            );
            const { approvalId } = request;
            const reason = approve ? {} : { reason: "a person said no" };
            const content = [{ type: "tool-approval-response", approvalId, approved: approve, ...reason }];
            return call([...stored, { role: "tool", content }], step + modelSaw.length);
          },
        },
      };
    } catch (error) {
      if (!(error instanceof PromptBlocked)) throw error;
      return { modelSaw, subAgentSaw, answer: error.message };
    }
  }
  return call(
    [...run.said, run.prompt].map((content) => ({ role: "user", content })),
    0,
  );
}
