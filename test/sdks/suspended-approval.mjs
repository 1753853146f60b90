// One process of an agent whose call waits for people: node suspended-approval.mjs <sdk> <begin|resume> <place as JSON>.
// What it leaves behind is a file with what the SDK suspends into. It says whether it was suspended and what tools did.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { deserialize, serialize } from "node:v8";

const [sdk, phase, place] = process.argv.slice(2);
const { dist, project, env, loader, file } = JSON.parse(place);
const { createHoldfast } = await import(pathToFileURL(join(dist, "index.js")).href);
const binding = (name) => import(pathToFileURL(join(dist, "bindings", `${name}.js`)).href);
const { load } = await import(pathToFileURL(loader).href);

const holdfast = await createHoldfast({ host: "bound", cwd: project, env });
const session = holdfast.session({ id: "conversation-1", agent: "lead", user: "mona" });
const ran = [];
const parameters = {
  type: "object",
  properties: { amount: { type: "number" } },
  required: ["amount"],
  additionalProperties: false,
};
const pay = ({ amount }) => {
  ran.push(amount);
  return `paid ${amount}`;
};
const isResumed = phase === "resume";

const sdks = {
  async langchain() {
    const { holdfastMiddleware } = await binding("langchain");
    const [langchain, langgraph] = [await load("langchain"), await load("@langchain/langgraph")];
    const checkpointer = new langgraph.MemorySaver();
    if (existsSync(file)) Object.assign(checkpointer, deserialize(readFileSync(file)));
    const model = langchain.fakeModel();
    const tool_calls = [{ id: "call-1", name: "pay", args: { amount: 5 }, type: "tool_call" }];
    if (!isResumed) model.respond(() => new langchain.AIMessage({ content: "", tool_calls }));
    model.respond(() => new langchain.AIMessage("done"));
    const agent = langchain.createAgent({
      model,
      tools: [langchain.tool(pay, { name: "pay", description: "pays", schema: parameters })],
      middleware: [holdfastMiddleware({ langchain, session, suspend: true })],
      checkpointer,
    });
    const input = isResumed
      ? new langgraph.Command({ resume: { decisions: [{ type: "approve" }] } })
      : { messages: [new langchain.HumanMessage("pay 5")] };
    const result = await agent.invoke(input, { configurable: { thread_id: "one" } });
    const { storage, writes } = checkpointer;
    writeFileSync(file, serialize({ storage, writes }));
    const [interrupt] = result.__interrupt__ ?? [];
    return { suspended: interrupt !== undefined, said: interrupt?.value.approval ?? result.messages.at(-1).text };
  },

  async "openai-agents"() {
    const { answerInterruption, guardAgent, questionOf, runGuarded } = await binding("openai-agents");
    const { Agent, RunState, Usage, run, setTracingDisabled, tool } = await load("@openai/agents");
    setTracingDisabled(true);
    const call = {
      type: "function_call",
      callId: "call-1",
      name: "pay",
      status: "completed",
      arguments: '{"amount":5}',
    };
    const words = (text) => ({
      type: "message",
      role: "assistant",
      status: "completed",
      content: [{ type: "output_text", text }],
    });
    const answers = isResumed ? [words("done")] : [call, words("done")];
    const model = { getResponse: async () => ({ usage: new Usage(), output: [answers.shift()] }) };
    const tools = [
      tool({ name: "pay", description: "pays", parameters, strict: true, errorFunction: null, execute: pay }),
    ];
    const agent = guardAgent(session, new Agent({ name: "lead", model, tools }), { suspend: true });
    let input = "pay 5";
    if (isResumed) {
      input = await RunState.fromString(agent, readFileSync(file, "utf8"));
      for (const item of input.getInterruptions()) answerInterruption(input, item, { allow: true });
    }
    const turn = await runGuarded({ session, run, agent, input });
    const [interruption] = turn.result.interruptions ?? [];
    if (interruption) writeFileSync(file, turn.result.state.toString());
    return {
      suspended: interruption !== undefined,
      said: interruption ? questionOf(interruption) : String(turn.result.finalOutput),
    };
  },

  async "ai-6"() {
    const { AiSdkGuard } = await binding("ai-sdk");
    const [ai, { MockLanguageModelV3 }] = [await load("ai"), await load("ai/test")];
    const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
    const answers = [
      ...(isResumed
        ? []
        : [
            {
              content: [{ type: "tool-call", toolCallId: "call-1", toolName: "pay", input: '{"amount":5}' }],
              reason: "tool-calls",
            },
          ]),
      { content: [{ type: "text", text: "done" }], reason: "stop" },
    ];
    const model = new MockLanguageModelV3({
      doGenerate: async () => {
        const { content, reason } = answers.shift();
        return { content, finishReason: { unified: reason, raw: reason }, usage, warnings: [] };
      },
    });
    const guard = new AiSdkGuard({ ai, session, suspend: true });
    const tools = { pay: { description: "pays", inputSchema: ai.jsonSchema(parameters), execute: pay } };
    const messages = isResumed ? JSON.parse(readFileSync(file, "utf8")) : [{ role: "user", content: "pay 5" }];
    const result = await guard.generateText({ model, tools, stopWhen: ai.stepCountIs(5), messages });
    const request = result.content.find(({ type }) => type === "tool-approval-request");
    if (request) {
      const { approvalId } = request;
      const answer = { role: "tool", content: [{ type: "tool-approval-response", approvalId, approved: true }] };
      writeFileSync(file, JSON.stringify([...messages, ...result.response.messages, answer]));
    }
    const said = request ? guard.questionOf(request.toolCall.toolCallId) : result.text;
    return { suspended: request !== undefined, said };
  },
};

const { suspended, said } = await sdks[sdk]();
await holdfast.close();
console.log(JSON.stringify({ suspended, said, ran }));
process.exit(0);
