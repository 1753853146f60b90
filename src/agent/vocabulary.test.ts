import { Ajv } from "ajv";
import { describe, expect, it } from "vitest";
import { EVENT_NAMES, eventRow } from "../core/event.ts";
import { defineHook } from "../custom/define-hook.ts";
import { wireSchemas } from "../custom/wire-schemas.ts";
import { agentScene, call, calls, shell } from "./agent.fixture.ts";
import type { AgentOptions } from "./agent.ts";

const scene = agentScene();
/** Runs and tasks are not an agent's: their events are procedures. */
const AGENT_EVENTS = EVENT_NAMES.filter((name) => eventRow(name).law !== "procedure");

/** A run with everything in it. */
async function wholeLife(options: Partial<AgentOptions>): Promise<void> {
  const to = (target_agent_id: string) => call("delegate", { target_agent_id, objective: "do it" });
  const broken = { id: "broken", answer: () => Promise.reject(new Error("no connection")) };
  const { agent } = await scene.agent(
    [calls(to("coder"), to("broken")), "written", calls(shell("printf '%04000d' 0")), "the summary", "done"],
    {
      ...options,
      agents: { coder: {}, broken: { model: broken } },
      contextTokens: 1_000,
      ask: () => ({ allow: true }),
    },
  );
  const conversation = await agent.open();
  expect(await conversation.send("go")).toEqual({ status: "completed", text: "done" });
  await conversation.end("done");
}

describe("the vocabulary", () => {
  it("X-21 B14-14 every agent event of the table fires in one run of the agent", async () => {
    const heard: string[] = [];
    const hooks = AGENT_EVENTS.map((name) =>
      defineHook({ name: `hears-${name}`, on: [name], judge: (event) => void heard.push(event.name) }),
    );
    await wholeLife({ hooks });
    expect([...new Set(heard)].sort()).toEqual([...AGENT_EVENTS].sort());
    expect(AGENT_EVENTS).toHaveLength(14);
  });

  it("Q-23 what a command under [agent.hooks] is given fits the published schema of its event", async () => {
    const wired = AGENT_EVENTS.filter((name) => name !== "session_end" && name !== "notification");
    scene.hooks(...wired.map((on) => ({ on })));
    await wholeLife({});
    const schemas = wireSchemas();
    for (const name of wired) {
      const validate = new Ajv().compile(schemas[`${name.replaceAll("_", "-")}.command.input.schema.json`] as object);
      const seen = scene.seen(name);
      expect(seen.length, name).toBeGreaterThan(0);
      for (const input of seen) expect(validate(input), `${name}: ${JSON.stringify(validate.errors)}`).toBe(true);
    }
    expect(scene.of("notice")).toEqual([]);
  });
});
