/** OpenAI Agents, driven as its guide tells people to. */

import { answerInterruption, guardAgent, questionOf, runGuarded } from "../../src/bindings/openai-agents.ts";
import type { JsonObject } from "../../src/core/json.ts";
import type { Driver, DriverRun, ModelStep, Ran, ScriptedTool } from "./driver.ts";
import { loadSdk } from "./installed-sdk.ts";

// biome-ignore lint/suspicious/noExplicitAny: the SDK's types are not there when ours are checked
type Loaded = any;

export const sdk = async (): Promise<Loaded> => {
  const loaded = await loadSdk("openai-agents", "@openai/agents");
  loaded.setTracingDisabled(true);
  return loaded;
};

/** A model that plays steps and remembers its requests. */
export class ScriptedModel {
  readonly saw: string[] = [];
  readonly #steps: ModelStep[];
  readonly #usage: () => object;
  constructor(steps: readonly ModelStep[], usage: () => object) {
    this.#steps = [...steps];
    this.#usage = usage;
  }

  async getResponse({ systemInstructions, input }: { systemInstructions?: string; input: unknown }): Promise<object> {
    this.saw.push(`${systemInstructions ?? ""}\n${typeof input === "string" ? input : texts(input).join("\n")}`);
    const step = this.#steps.shift() ?? { text: "(the script is over)" };
    const output =
      "text" in step
        ? [
            {
              type: "message",
              role: "assistant",
              status: "completed",
              content: [{ type: "output_text", text: step.text }],
            },
          ]
        : step.calls.map(({ id, name, input: args }) => ({
            // A call of the SDK's own tool_search has a type, not a name.
            ...(name === "tool_search"
              ? { type: "tool_search_call", execution: "client", arguments: args }
              : { type: "function_call", name, arguments: JSON.stringify(args) }),
            callId: id,
            status: "completed",
          }));
    return { usage: this.#usage(), output };
  }

  getStreamedResponse(): never {
    throw new Error("not streamed");
  }
}

const texts = (value: unknown): string[] => {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.flatMap(texts);
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(texts) : [];
};

export const toolOf = ({ tool }: Loaded, { name, description, parameters, run }: ScriptedTool): Loaded =>
  // Without an errorFunction the tool throws: hooks then know that it failed, and the binding tells the model why.
  tool({
    name,
    description,
    parameters,
    strict: true,
    errorFunction: null,
    execute: (input: JsonObject) => run(input),
  });

export const openAiAgents: Driver = {
  name: "OpenAI Agents",
  lacks: {
    "change a call": "nothing stands between a tool's invoke and the tool",
    "repeat an id": "the SDK ends a run in which two calls have one id",
  },
  history: "original",
  async run({ session, prompt, said, script, tools, subAgents, suspend }: DriverRun): Promise<Ran> {
    const loaded = await sdk();
    const { Agent, Usage, RunState, run } = loaded;
    const delegating = new Set(subAgents.map(({ name }) => name));
    // As the SDK has it, an agent's tool takes `input`.
    const steps = script.map((step) =>
      "text" in step
        ? step
        : {
            calls: step.calls.map((call) =>
              delegating.has(call.name) ? { ...call, input: { input: call.input.objective ?? "" } } : call,
            ),
          },
    );
    const model = new ScriptedModel(steps, () => new Usage());
    const children = subAgents.map((child) => ({
      ...child,
      model: new ScriptedModel(child.script, () => new Usage()),
    }));
    const build = () => {
      const agentTools = children.map(({ name, description, tools: own, model: childModel }) => {
        const child = new Agent({ name, model: childModel, tools: own.map((tool) => toolOf(loaded, tool)) });
        return guardAgent(session, child).asTool({ toolName: name, toolDescription: description });
      });
      const agent = new Agent({
        name: "lead",
        instructions: "you are the lead",
        model,
        tools: [...tools.map((tool) => toolOf(loaded, tool)), ...agentTools],
      });
      return guardAgent(session, agent, { suspend });
    };

    const play = async (agent: Loaded, input: string | object): Promise<Ran> => {
      const before = model.saw.length;
      const turn = await runGuarded({ session, run, agent, input });
      const subAgentSaw = children.flatMap((child) => child.model.saw);
      const modelSaw = model.saw.slice(before);
      if (turn.status === "blocked") return { modelSaw, subAgentSaw, answer: turn.reason };
      const result: Loaded = turn.result;
      const answer = String(result.finalOutput ?? "");
      if (turn.status === "done") return { modelSaw, subAgentSaw, answer };
      return {
        modelSaw,
        subAgentSaw,
        answer,
        suspended: {
          reason: questionOf(result.interruptions[0]) ?? "",
          async resume({ approve }) {
            const restored = build();
            const state = await RunState.fromString(restored, result.state.toString());
            for (const item of state.getInterruptions()) answerInterruption(state, item, { allow: approve });
            return play(restored, state);
          },
        },
      };
    };
    const messages = [...said, prompt].map((content) => ({ role: "user", content }));
    return play(build(), said.length > 0 ? messages : prompt);
  },
};
