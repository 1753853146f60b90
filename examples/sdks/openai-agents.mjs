// An agent of the OpenAI Agents SDK under your rules. The model is scripted; leave `model` out to use OpenAI's.
//   npm install holdfast @openai/agents zod && node openai-agents.mjs
import { Agent, RunState, run, setTracingDisabled, tool, Usage } from "@openai/agents";
import { createHoldfast, defineHook } from "holdfast";
import { answerInterruption, guardAgent, questionOf, runGuarded } from "holdfast/openai-agents";
import { z } from "zod";

setTracingDisabled(true);
const holdfast = await createHoldfast({
  host: "my-agent",
  tools: { shell: { kind: "shell", command: "command" } },
  hooks: [
    defineHook({
      name: "people-deploy",
      on: ["pre_tool_use"],
      when: { command: "deploy *" },
      judge: () => ({ ask: "This goes to production." }),
    }),
  ],
});
const session = holdfast.session({ user: "mona" });

const shell = tool({
  name: "shell",
  description: "runs a command",
  parameters: z.object({ command: z.string() }),
  errorFunction: null, // so that hooks know a failure when they see one
  execute: ({ command }) => `(ran ${command})`,
});

const calls = (...commands) =>
  commands.map((command) => ({
    type: "function_call",
    callId: command,
    name: "shell",
    arguments: JSON.stringify({ command }),
    status: "completed",
  }));
const says = (text) => [
  { type: "message", role: "assistant", status: "completed", content: [{ type: "output_text", text }] },
];
const script = [calls("git push --force origin main", "deploy shop"), says("Deployed, not pushed.")];
const model = {
  async getResponse({ input }) {
    console.log("model is sent:", JSON.stringify(input.slice(-2), null, 1));
    return { usage: new Usage(), output: script.shift() };
  },
};

const agent = guardAgent(session, new Agent({ name: "lead", model, tools: [shell] }), { suspend: true });
let turn = await runGuarded({ session, run, agent, input: "Push my work and deploy." });
while (turn.status === "suspended") {
  // Store this text and go on with it whenever, and wherever, the person has answered.
  const state = await RunState.fromString(agent, turn.result.state.toString());
  for (const item of state.getInterruptions()) {
    console.log("a person is asked:", questionOf(item));
    answerInterruption(state, item, { allow: true });
  }
  turn = await runGuarded({ session, run, agent, input: state });
}
console.log("answer:", turn.status === "done" ? turn.result.finalOutput : turn.reason);
await holdfast.close();
