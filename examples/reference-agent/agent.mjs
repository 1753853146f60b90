// The reference agent as a library: a lead that delegates, a hook in code, and steps that run side by side. The model is
// scripted, so this runs offline: node examples/reference-agent/agent.mjs
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineHook } from "holdfast";
import { createAgent, runDag, scriptedModel } from "holdfast/agent";

const cwd = mkdtempSync(join(tmpdir(), "holdfast-example-"));
const shell = (command) => ({ name: "shell", input: { command } });
const ask = (target, objective) => ({ name: "delegate", input: { target_agent_id: target, objective } });

const noNetwork = defineHook({
  name: "no-network",
  on: ["pre_tool_use"],
  when: { kind: "shell" },
  judge: ({ tool }) =>
    /\bcurl\b/.test(tool.command) ? { block: "this agent has no business on the network" } : undefined,
});
const verifier = defineHook({
  name: "verifier",
  on: ["stop"],
  judge: ({ lastAssistantMessage, agent }) =>
    agent === null && !lastAssistantMessage?.includes("checked") ? { continue: "Say what you checked." } : undefined,
});

const agent = await createAgent({
  cwd,
  env: { ...process.env, HOLDFAST_STATE_DIR: join(cwd, ".state") },
  model: scriptedModel([
    { text: "I ask the researcher, and look around.", calls: [ask("researcher", "find the version"), shell("ls -a")] },
    "It is version 7.",
    "It is version 7; I checked with the researcher.",
  ]),
  agents: {
    researcher: {
      description: "finds things out",
      model: scriptedModel([
        { calls: [shell("curl https://example.com/version")] },
        "The network is off; the file says 7.",
      ]),
    },
  },
  hooks: [noNetwork, verifier],
  ask: () => ({ allow: true }),
  onEvent: ({ type, agent: who, name, reason, text }) =>
    console.log([who ?? "lead", type, name, (reason ?? text)?.split("\n")[0]].filter(Boolean).join("  ")),
});

const lead = await agent.open({ user: "mona" });
await lead.send("Which version is it?");

const says = (words) => ({ model: scriptedModel([words]) });
const results = await runDag(lead, [
  { id: "left", task: "Look left.", role: says("a wall") },
  { id: "right", task: "Look right.", role: says("a door") },
  { id: "choose", task: "Choose a way.", needs: ["left", "right"], role: says("right, through the door") },
]);
console.log(`steps: ${[...results].map(([id, { text }]) => `${id}: ${text}`).join("; ")}`);

await lead.end("done");
await agent.close();
rmSync(cwd, { recursive: true, force: true });
