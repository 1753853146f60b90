/** LangChain's createAgent on LangGraph, with a model of its own kind. */
import { holdfastMiddleware, subAgentTool } from "../../src/bindings/langchain.ts";
import type { Driver, DriverRun, ModelStep, Ran, ScriptedTool } from "./driver.ts";
import { loadSdk } from "./installed-sdk.ts";

export const langchainDriver: Driver = {
  name: "LangChain",
  history: "original",
  lacks: {},
  async run(run) {
    const langchain = await loadSdk("langchain", "langchain");
    const langgraph = await loadSdk("langchain", "@langchain/langgraph");
    return play(run, langchain, langgraph);
  },
};

/** A model that answers step by step and notes what it was sent. */
// biome-ignore lint/suspicious/noExplicitAny: the SDK's module
export function scriptedModel(langchain: any, script: readonly ModelStep[], saw: string[]) {
  const model = langchain.fakeModel();
  for (const step of script) {
    model.respond((messages: { toDict(): unknown }[]) => {
      saw.push(JSON.stringify(messages.map((message) => message.toDict())));
      if ("text" in step) return new langchain.AIMessage(step.text);
      const tool_calls = step.calls.map(({ id, name, input }) => ({ id, name, args: input, type: "tool_call" }));
      return new langchain.AIMessage({ content: "", tool_calls });
    });
  }
  return model;
}

// biome-ignore lint/suspicious/noExplicitAny: the SDK's module
export const toolOf = (langchain: any, { name, description, parameters, run }: ScriptedTool) =>
  langchain.tool(run, { name, description, schema: parameters });

// biome-ignore lint/suspicious/noExplicitAny: the SDK's modules
async function play(run: DriverRun, langchain: any, langgraph: any): Promise<Ran> {
  const { session, suspend, script, prompt } = run;
  const saw: string[] = [];
  const subAgentSaw: string[] = [];
  const subAgents = run.subAgents.map(({ name, description, script: lines, tools }) =>
    subAgentTool({
      langchain,
      session,
      name,
      description,
      async run({ session: child, prompt: asked }) {
        const agent = langchain.createAgent({
          model: scriptedModel(langchain, lines, subAgentSaw),
          tools: tools.map((tool) => toolOf(langchain, tool)),
          middleware: [holdfastMiddleware({ langchain, session: child })],
        });
        const { messages } = await agent.invoke({ messages: [new langchain.HumanMessage(asked)] });
        return messages.at(-1).text;
      },
    }),
  );
  const model = scriptedModel(langchain, script, saw);
  const { extension } = run;
  const own = extension && [
    langchain.createMiddleware({
      name: "Own",
      // biome-ignore lint/suspicious/noExplicitAny: the SDK's types
      wrapToolCall: (request: any, handler: (request: object) => unknown) =>
        handler({ ...request, toolCall: { ...request.toolCall, args: extension(request.toolCall.args) } }),
    }),
  ];
  const checkpointer = new langgraph.MemorySaver();
  const config = { configurable: { thread_id: "one" } };

  /** Each call is what a process of its own would do: a new agent and middleware; only the checkpoint is the same. */
  async function call(input: unknown): Promise<Ran> {
    const agent = langchain.createAgent({
      model,
      tools: [...run.tools.map((tool) => toolOf(langchain, tool)), ...subAgents],
      middleware: [holdfastMiddleware({ langchain, session, suspend }), ...(own ?? [])],
      checkpointer,
    });
    const from = saw.length;
    const result = await agent.invoke(input, config);
    const ran = { modelSaw: saw.slice(from), subAgentSaw, answer: result.messages.at(-1).text };
    const [interrupt] = result.__interrupt__ ?? [];
    if (!interrupt) return ran;
    return {
      ...ran,
      suspended: {
        reason: interrupt.value.actionRequests[0].description,
        resume: ({ approve }) =>
          call(
            new langgraph.Command({
              resume: { decisions: [approve ? { type: "approve" } : { type: "reject", message: "a person said no" }] },
            }),
          ),
      },
    };
  }
  return call({ messages: [...run.said, prompt].map((text) => new langchain.HumanMessage(text)) });
}
