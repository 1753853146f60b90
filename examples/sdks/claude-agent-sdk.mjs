// A query of the Claude Agent SDK under your rules. It needs what the SDK needs: ANTHROPIC_API_KEY.
//   npm install holdfast @anthropic-ai/claude-agent-sdk && node claude-agent-sdk.mjs
import { query } from "@anthropic-ai/claude-agent-sdk";
import { createHoldfast, defineHook } from "holdfast";
import { guardedQuery } from "holdfast/claude-agent-sdk";

const holdfast = await createHoldfast({
  host: "my-agent",
  hooks: [
    defineHook({
      name: "people-deploy",
      on: ["pre_tool_use"],
      when: { command: "deploy *" },
      judge: () => ({ ask: "This goes to production." }),
    }),
  ],
  ask({ reason, tool }) {
    console.log("a person is asked:", reason, tool.input.command);
    return { allow: false, reason: "Not today." };
  },
});
const session = holdfast.session({ user: "mona" });

const options = { allowedTools: ["Bash"], settingSources: [] };
const prompt = "Push my work to main, by force if you must, and deploy the shop.";
for await (const message of guardedQuery({ session, query, prompt, options })) {
  for (const { type, content } of message.type === "user" ? [message.message.content].flat() : []) {
    if (type === "tool_result") console.log("model is sent:", JSON.stringify(content));
  }
  if (message.type === "result") console.log("answer:", message.result);
}
await holdfast.close();
