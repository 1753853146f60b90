import { describe, expect } from "vitest";
import { payload } from "../payloads.ts";
import { it, type Machine } from "../program.ts";
import { answers, userHooks } from "../rules.ts";

const goOn = { event: "stop", script: answers({ decision: "block", reason: "more" }) };

/** pi has no cap of its own: what we count is all that ends a turn. */
const ask = async (machine: Machine, name: string) => (await machine.hook("pi", payload(machine, "pi", name))).stdout;

describe.concurrent("how often hooks continue a turn", () => {
  it("once by default, and once more after a new prompt", async ({ machine }) => {
    await userHooks(machine, [goOn]);
    expect(await ask(machine, "agent_before_settle")).toContain("Continued by holdfast: more");
    expect(await ask(machine, "agent_before_settle")).toBe("");
    await ask(machine, "input");
    expect(await ask(machine, "agent_before_settle")).toContain("Continued by holdfast: more");
  });

  it("a compaction in between begins no new count", async ({ machine }) => {
    await userHooks(machine, [goOn]);
    expect(await ask(machine, "agent_before_settle")).toContain("Continued by holdfast: more");
    await ask(machine, "session_compact");
    expect(await ask(machine, "agent_before_settle")).toBe("");
  });
});
