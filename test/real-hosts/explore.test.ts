import { test } from "vitest";
import { runClaude } from "./claude-code.ts";
import { makeScratch } from "./scratch.ts";

test("sub", async () => {
  const s = await makeScratch();
  await s.write("project/.claude/settings.json", JSON.stringify({hooks:{PreToolUse:[{matcher:"*",hooks:[{type:"command",command:"cat >> hooks.jsonl"}]}], Stop:[{hooks:[{type:"command",command:"cat >> hooks.jsonl"}]}]}}));
  const run = await runClaude({ ...s, script: [
    { tools: [{ id:"launch", name: "Agent", input: { description: "sub", prompt: "SUB-TASK now", subagent_type: "general-purpose" } }] },
    { text: "waiting" }, { text: "finished" }, {text:"again"}],
    subAgents: [{ opening: "SUB-TASK", script: [ { tools: [{ id:"subbash", name: "Bash", input: { command: "echo x > sub.txt", description: "s" } }] }, {text:"sub done"}]}] });
  console.log(run.story);
  console.log(run.events.map(e => e.type + "/" + e.subtype).join(" "));
  console.log([...run.model.toolResults().values()]);
  console.log(s.read("hooks.jsonl"), s.read("sub.txt"));
  await s.remove();
});
