import { describe, expect, it } from "vitest";
import { EVENT_NAMES, eventRow } from "../core/event.ts";
import { defineHook } from "../custom/define-hook.ts";
import { agentScene, call, calls, shell } from "./agent.fixture.ts";

const scene = agentScene();
/** Runs and tasks are not an agent's: their events are procedures. */
const AGENT_EVENTS = EVENT_NAMES.filter((name) => eventRow(name).law !== "procedure");

describe("the vocabulary", () => {
  it("every agent event of the table fires in one run of the agent", async () => {
    const heard: string[] = [];
    const listeners = AGENT_EVENTS.map((name) =>
      defineHook({ name: `hears-${name}`, on: [name], judge: (event) => void heard.push(event.name) }),
    );
    const to = (target_agent_id: string) => call("delegate", { target_agent_id, objective: "do it" });
    const broken = { id: "broken", answer: () => Promise.reject(new Error("no connection")) };
    const { agent } = await scene.agent(
      [calls(to("coder"), to("broken")), "written", calls(shell("printf '%04000d' 0")), "the summary", "done"],
      {
        hooks: listeners,
        agents: { coder: {}, broken: { model: broken } },
        contextTokens: 1_000,
        ask: () => ({ allow: true }),
      },
    );
    const conversation = await agent.open();
    expect(await conversation.send("go")).toEqual({ status: "completed", text: "done" });
    await conversation.end("done");
    expect([...new Set(heard)].sort()).toEqual([...AGENT_EVENTS].sort());
    expect(AGENT_EVENTS).toHaveLength(14);
  });
});
