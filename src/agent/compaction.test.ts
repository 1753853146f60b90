import { describe, expect, it } from "vitest";
import { agentScene, calls, shell } from "./agent.fixture.ts";

const scene = agentScene();
const nested = (event: string, text: string) => ({
  hook_specific_output: { hook_event_name: event, additional_context: text },
});
/** A tool output of about 250 tokens, and a context of 200. */
const LONG = calls(shell("printf '%01000d' 0"));
const setting = { contextTokens: 200, ask: () => ({ allow: true }) as const };

describe("compaction", () => {
  it("Q-82 pre_compaction gets trigger, token estimate and message count", async () => {
    scene.hooks({ on: "pre_compaction" });
    const { agent } = await scene.agent([LONG, "the summary", "done"], setting);
    await (await agent.open()).send("go");
    const [event, ...others] = scene.seen("pre_compaction");
    expect(event).toMatchObject({ trigger: "context_threshold", message_count: 3 });
    expect(event?.token_estimate).toBeGreaterThan(250);
    expect(others).toEqual([]);
  });

  it("Q-83 a block: no compaction, no start event, the turn ends with the reason, the hook ran once", async () => {
    scene.hooks({ on: "pre_compaction", says: { decision: "block", reason: "keep the transcript" } }, { on: "stop" });
    const { agent, model } = await scene.agent([LONG, "never asked"], setting);
    const conversation = await agent.open();
    expect(await conversation.send("go")).toEqual({ status: "stopped", text: "keep the transcript" });
    expect(scene.seen("pre_compaction")).toHaveLength(1);
    expect(model.requests).toHaveLength(1);
    expect(scene.types()).not.toContain("compaction_started");
    expect(conversation.messages).toHaveLength(3);
    expect(scene.seen("stop")).toEqual([]);
  });

  it("Q-84 context is appended to that message", async () => {
    const says = { decision: "block", reason: "wait", ...nested("pre_compaction", "ask Mona") };
    scene.hooks({ on: "pre_compaction", says });
    const { agent } = await scene.agent([LONG], setting);
    expect(await (await agent.open()).send("go")).toMatchObject({ status: "stopped", text: "wait\n\nask Mona" });
  });

  it("Q-85 without a block it runs: a summary takes the place of what was said, the prompt stays", async () => {
    scene.hooks({ on: "pre_compaction" });
    const { agent, model } = await scene.agent([LONG, "the summary", "done"], { ...setting, instructions: "be brief" });
    const conversation = await agent.open();
    expect(await conversation.send("go")).toEqual({ status: "completed", text: "done" });
    expect(model.requests[2]?.messages).toEqual([
      { role: "system", text: "be brief" },
      { role: "user", from: "agent", text: "Summary of the conversation so far:\n\nthe summary" },
      { role: "user", text: "go" },
    ]);
    expect(scene.types()).toContain("compaction_started");
  });

  it("Q-86 post_compaction sees summary and counts; its context is in the stored summary and in the end event", async () => {
    scene.hooks({ on: "post_compaction", says: nested("post_compaction", "the ticket is HF-7") });
    const { agent, model } = await scene.agent([LONG, "the summary", "done"], setting);
    await (await agent.open()).send("go");
    const [event] = scene.seen("post_compaction");
    expect(event).toMatchObject({ trigger: "context_threshold", summary: "the summary", message_count: 3 });
    expect(event?.summary_token_count).toBe(3);
    expect(event?.original_token_count).toBeGreaterThan(250);
    const stored = "the summary\n\nthe ticket is HF-7";
    expect(model.requests[2]?.messages[0]?.text).toBe(`Summary of the conversation so far:\n\n${stored}`);
    expect(scene.of("compaction_finished")).toEqual([expect.objectContaining({ summary: stored })]);
  });

  it("a summary that is itself too long is not compacted again and again", async () => {
    const { agent, model } = await scene.agent([LONG, "s".repeat(2_000), "done"], setting);
    expect(await (await agent.open()).send("go")).toMatchObject({ status: "completed", text: "done" });
    expect(model.requests).toHaveLength(3);
  });

  it("a person may ask for it; a hook may refuse that too", async () => {
    const { agent } = await scene.agent(["hello", "the summary"]);
    const conversation = await agent.open();
    await conversation.send("hi");
    expect(await conversation.compact()).toBeUndefined();
    expect(conversation.messages).toHaveLength(1);
    scene.hooks({ on: "pre_compaction", says: { decision: "block", reason: "no" } });
    expect(await conversation.compact()).toBe("no");
  });

  it("what hooks had told the model before is told again afterwards, and not twice without", async () => {
    scene.hooks({ on: "post_tool_use", says: nested("post_tool_use", "tabs, not spaces") });
    const twice = [LONG, calls(shell("true")), "done"];
    const long = await scene.agent(twice, { ...setting, contextTokens: 10_000 });
    await (await long.agent.open()).send("go");
    expect(JSON.stringify(long.model.requests[2]?.messages).split("tabs, not spaces")).toHaveLength(2);
    const compacted = await scene.agent([LONG, "the summary", calls(shell("true")), "done"], setting);
    await (await compacted.agent.open()).send("go");
    expect(JSON.stringify(compacted.model.requests[3]?.messages).split("tabs, not spaces")).toHaveLength(2);
  });
});
