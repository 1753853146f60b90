/** Strands, driven as its guide tells people to. */
import { guardAgent } from "../../../src/bindings/strands.ts";
import type { Driver, DriverRun, ModelStep, Ran, ScriptedTool } from "../driver.ts";
import { loadSdk } from "../installed-sdk.ts";

// biome-ignore lint/suspicious/noExplicitAny: the SDK's types are not there when ours are checked
type Loaded = any;

export const sdk = (): Promise<Loaded> => loadSdk("strands", "@strands-agents/sdk");

/** A model that plays steps and remembers its requests. */
export function scriptedModel({ Model }: Loaded, steps: readonly ModelStep[]): Loaded {
  const left = [...steps];
  class Scripted extends Model {
    readonly saw: string[] = [];
    updateConfig() {}
    getConfig() {
      return { modelId: "scripted" };
    }
    async *stream(messages: readonly { toJSON(): unknown }[]) {
      this.saw.push(messages.flatMap((message) => texts(message.toJSON())).join("\n"));
      const step = left.shift() ?? { text: "(the script is over)" };
      yield { type: "modelMessageStartEvent", role: "assistant" };
      for (const call of "text" in step ? [] : step.calls) {
        const start = { type: "toolUseStart", name: call.name, toolUseId: call.id };
        yield { type: "modelContentBlockStartEvent", start };
        const delta = { type: "toolUseInputDelta", input: JSON.stringify(call.input) };
        yield { type: "modelContentBlockDeltaEvent", delta };
        yield { type: "modelContentBlockStopEvent" };
      }
      if ("text" in step) {
        yield { type: "modelContentBlockStartEvent" };
        yield { type: "modelContentBlockDeltaEvent", delta: { type: "textDelta", text: step.text } };
        yield { type: "modelContentBlockStopEvent" };
      }
      yield { type: "modelMessageStopEvent", stopReason: "text" in step ? "endTurn" : "toolUse" };
    }
  }
  return new Scripted();
}

const texts = (value: unknown): string[] => {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.flatMap(texts);
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(texts) : [];
};

export const toolOf = ({ FunctionTool }: Loaded, { name, description, parameters, run }: ScriptedTool): Loaded =>
  new FunctionTool({ name, description, inputSchema: parameters, callback: (input: never) => run(input) });

export const strands: Driver = {
  name: "Strands",
  lacks: {},
  history: "original",
  async run({ session, prompt, said, script, tools, subAgents, suspend, extension }: DriverRun): Promise<Ran> {
    const loaded = await sdk();
    const { Agent, ExecuteToolStage, InterruptResponseContent } = loaded;
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
    const model = scriptedModel(loaded, steps);
    const children = subAgents.map(({ name, description, tools: own, script: childScript }) => ({
      name,
      description,
      tools: own.map((tool) => toolOf(loaded, tool)),
      model: scriptedModel(loaded, childScript),
    }));
    const build = () => {
      const agents = children.map((child) => new Agent({ ...child, printer: false }));
      const all = [...tools.map((tool) => toolOf(loaded, tool)), ...agents];
      const agent = new Agent({ name: "lead", model, tools: all, printer: false });
      guardAgent(session, loaded, agent, { suspend });
      if (extension) {
        agent.addMiddleware(ExecuteToolStage.Input, (context: Loaded) => ({
          ...context,
          toolUse: { ...context.toolUse, input: extension(context.toolUse.input) },
        }));
      }
      return agent;
    };

    const play = async (agent: Loaded, args: unknown): Promise<Ran> => {
      const before = model.saw.length;
      const result = await agent.invoke(args);
      const ran = {
        modelSaw: model.saw.slice(before),
        subAgentSaw: children.flatMap((child) => child.model.saw),
        answer: String(result),
      };
      if (result.stopReason !== "interrupt") return ran;
      const stored = JSON.stringify(agent.takeSnapshot({ preset: "session" }));
      return {
        ...ran,
        suspended: {
          reason: String(result.interrupts[0].reason.reason),
          resume({ approve }) {
            const restored: Loaded = build();
            restored.loadSnapshot(JSON.parse(stored));
            const responses = result.interrupts.map(
              ({ id }: { id: string }) => new InterruptResponseContent({ interruptId: id, response: approve }),
            );
            return play(restored, responses);
          },
        },
      };
    };
    const messages = [...said, prompt].map((text) => ({ role: "user", content: [{ text }] }));
    return play(build(), said.length > 0 ? messages : prompt);
  },
};
