// An agent of the Strands SDK under your rules (Node 22 or newer). The model is scripted; put any provider's in its place.
//   npm install holdfast @strands-agents/sdk zod && node strands.mjs
import * as strands from "@strands-agents/sdk";
import { createHoldfast, defineHook } from "holdfast";
import { guardAgent } from "holdfast/strands";
import { z } from "zod";

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

const shell = strands.tool({
  name: "shell",
  description: "runs a command",
  inputSchema: z.object({ command: z.string() }),
  callback: ({ command }) => `(ran ${command})`,
});

const script = [["git push --force origin main", "deploy shop"], "Deployed, not pushed."];
class ScriptedModel extends strands.Model {
  updateConfig() {}
  getConfig() {
    return { modelId: "scripted" };
  }
  async *stream(messages) {
    console.log("model is sent:", JSON.stringify(messages.at(-1), null, 1));
    const step = script.shift();
    const calls = Array.isArray(step) ? step : [];
    yield { type: "modelMessageStartEvent", role: "assistant" };
    for (const command of calls) {
      const start = { type: "toolUseStart", name: "shell", toolUseId: command };
      yield { type: "modelContentBlockStartEvent", start };
      const delta = { type: "toolUseInputDelta", input: JSON.stringify({ command }) };
      yield { type: "modelContentBlockDeltaEvent", delta };
      yield { type: "modelContentBlockStopEvent" };
    }
    if (calls.length === 0) {
      yield { type: "modelContentBlockStartEvent" };
      yield { type: "modelContentBlockDeltaEvent", delta: { type: "textDelta", text: step } };
      yield { type: "modelContentBlockStopEvent" };
    }
    yield { type: "modelMessageStopEvent", stopReason: calls.length > 0 ? "toolUse" : "endTurn" };
  }
}

const agent = new strands.Agent({ name: "lead", model: new ScriptedModel(), tools: [shell], printer: false });
guardAgent(holdfast.session({ user: "mona" }), strands, agent, { suspend: true });
let result = await agent.invoke("Push my work and deploy.");
while (result.stopReason === "interrupt") {
  // agent.takeSnapshot({ preset: "session" }) is what to store, if the person takes their time.
  const answers = result.interrupts.map(({ id, reason }) => {
    console.log("a person is asked:", reason.reason);
    return new strands.InterruptResponseContent({ interruptId: id, response: { allow: true } });
  });
  result = await agent.invoke(answers);
}
console.log("answer:", String(result));
await holdfast.close();
