// The reference agent as the program of a run: everything an agent can live through, in one attempt.
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const dist = process.argv[2];
const { createAgent, scriptedModel } = await import(pathToFileURL(join(dist, "agent.js")).href);

const call = (name, input) => ({ name, input });
const to = (target_agent_id) => call("delegate", { target_agent_id, objective: "do it" });
const agent = await createAgent({
  model: scriptedModel([
    { calls: [to("coder"), to("broken")] },
    "written",
    { calls: [call("shell", { command: "printf '%04000d' 0" })] },
    "the summary",
    { calls: [call("shell", { command: "holdfast task set first --status completed" })] },
    "done",
  ]),
  agents: { coder: {}, broken: { model: { id: "broken", answer: () => Promise.reject(new Error("no connection")) } } },
  contextTokens: 1_000,
  ask: () => ({ allow: true }),
  onEvent: (event) => event.type === "tool_blocked" && console.log(`blocked: ${event.reason}`),
});
const conversation = await agent.open();
const { status, text } = await conversation.send("go");
await conversation.end(status);
await agent.close();
console.log(`${status}: ${text}`);
process.exitCode = status === "completed" ? 0 : 1;
