// A LangChain agent under your rules, suspended where a person must be asked. The model is scripted; put any in its place.
//   npm install holdfast langchain @langchain/core @langchain/langgraph && node langchain.mjs
import { Command, MemorySaver } from "@langchain/langgraph";
import { createHoldfast, defineHook } from "holdfast";
import { holdfastMiddleware } from "holdfast/langchain";
import * as langchain from "langchain";

const holdfast = await createHoldfast({
  host: "my-agent",
  tools: { shell: { kind: "shell", command: "command" } },
  hooks: [
    defineHook({
      name: "deploys-need-a-person",
      on: ["pre_tool_use"],
      when: { command: "deploy*" },
      judge: () => ({ ask: "This goes to production. Is that wanted?" }),
    }),
  ],
});
const session = holdfast.session({ user: "mona" });

const shell = langchain.tool(({ command }) => `(ran ${command})`, {
  name: "shell",
  description: "runs a command",
  schema: { type: "object", properties: { command: { type: "string" } }, required: ["command"] },
});

const model = langchain
  .fakeModel()
  .respondWithTools([
    { id: "1", name: "shell", args: { command: "git push --force origin main" } },
    { id: "2", name: "shell", args: { command: "deploy shop" } },
  ])
  .respond((messages) => {
    for (const { name, text } of messages.slice(2)) console.log(`model reads of ${name}:`, text);
    return new langchain.AIMessage("Deployed, not pushed.");
  });

const agent = langchain.createAgent({
  model,
  tools: [shell],
  middleware: [holdfastMiddleware({ langchain, session, suspend: true })],
  checkpointer: new MemorySaver(),
});
const thread = { configurable: { thread_id: "1" } };
const waiting = await agent.invoke({ messages: [new langchain.HumanMessage("Ship it.")] }, thread);
console.log("a person is asked:", waiting.__interrupt__[0].value.actionRequests[0].description);
const done = await agent.invoke(new Command({ resume: { decisions: [{ type: "approve" }] } }), thread);
console.log("answer:", done.messages.at(-1).text);
await holdfast.close();
