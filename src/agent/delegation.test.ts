import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { agentScene, call, calls, shell } from "./agent.fixture.ts";
import type { AgentOptions } from "./agent.ts";
import { type ScriptedModel, type ScriptedStep, scriptedModel } from "./scripted-model.ts";

const scene = agentScene();
const nested = (event: string, fields: object) => ({ hook_specific_output: { hook_event_name: event, ...fields } });
const context = (event: string, text: string) => nested(event, { additional_context: text });
const asked = { target_agent_id: "coder", objective: "write the parser", context: "in src", constraints: "no deps" };
const delegated = (changes: object = {}) => calls(call("delegate", { ...asked, ...changes }, "d1"));

/** A lead that delegates once, and two agents it may ask. */
async function lead(childSteps: readonly ScriptedStep[], changes: Partial<AgentOptions> & { request?: object } = {}) {
  const { request, ...options } = changes;
  const child: ScriptedModel = scriptedModel(childSteps, "child-model");
  const agents = { coder: { description: "writes code", model: child }, tester: { model: child } };
  const { agent, model } = await scene.agent([delegated(request), "done"], { agents, ...options });
  const conversation = await agent.open({ id: "lead" });
  const result = await conversation.send("go");
  const told = conversation.messages.find((message) => message.role === "tool");
  return { agent, model, child, conversation, result, told };
}

describe("pre_delegation", () => {
  it("Q-87 runs before the delegation is recorded, with its five fields and the id of the call", async () => {
    scene.hooks({ on: "pre_delegation" }, { on: "delegation_start" });
    const { result } = await lead(["the parser is written"]);
    expect(result).toEqual({ status: "completed", text: "done" });
    expect(scene.seen("pre_delegation")).toMatchObject([
      { tool_use_id: "d1", ...asked, expected_output: null, session_id: "lead" },
    ]);
    expect(scene.of("delegation_requested")).toHaveLength(1);
  });

  it("Q-88 a block: nothing is recorded, the model reads it, it is no error", async () => {
    scene.hooks(
      { on: "pre_delegation", says: { decision: "block", reason: "do it yourself" } },
      { on: "delegation_start" },
    );
    const { told, child } = await lead(["never"]);
    expect(told).toMatchObject({ text: "Delegation blocked by hook: do it yourself", failed: false });
    expect(scene.types()).not.toContain("delegation_requested");
    expect(scene.of("delegation_blocked")).toHaveLength(1);
    expect(scene.seen("delegation_start")).toEqual([]);
    expect(child.requests).toEqual([]);
  });

  it("Q-89 a partial rewrite changes only the fields it gives; what is recorded and stored shows it", async () => {
    const updated_delegation = { objective: "write half of it", constraints: null };
    scene.hooks({ on: "pre_delegation", says: nested("pre_delegation", { updated_delegation }) });
    const { told, child } = await lead(["half is written"]);
    const expected = { ...asked, objective: "write half of it", expected_output: null };
    expect(told).toMatchObject({ input: expected });
    expect(scene.of("delegation_requested")[0]).toMatchObject({
      targetAgentId: "coder",
      objective: "write half of it",
      constraints: "no deps",
    });
    expect(child.requests[0]?.messages[0]?.text).toContain("Objective:\nwrite half of it");
  });

  it("Q-90 context is appended to the delegation's own", async () => {
    scene.hooks({ on: "pre_delegation", says: context("pre_delegation", "mind the style") });
    const { told, child } = await lead(["done"]);
    expect(told).toMatchObject({ input: { context: "in src\n\nmind the style" } });
    expect(child.requests[0]?.messages[0]?.text).toContain("Context:\nin src\n\nmind the style");
  });

  it("Q-91 a rewritten target is checked again: an unknown one is an error, and nothing is recorded", async () => {
    const to = (target_agent_id: string) => nested("pre_delegation", { updated_delegation: { target_agent_id } });
    scene.hooks({ on: "pre_delegation", says: to("nobody") });
    const { told } = await lead(["never"]);
    expect(told).toMatchObject({ text: 'there is no agent "nobody"; there are: coder, tester', failed: true });
    expect(scene.types()).not.toContain("delegation_requested");
    scene.hooks({ on: "pre_delegation", says: to("tester") }, { on: "delegation_start" });
    expect((await lead(["tested"])).told).toMatchObject({ text: "tested", failed: false });
    expect(scene.seen("delegation_start")).toMatchObject([{ target_agent_id: "tester" }]);
  });

  it("Q-92 the matcher is about the target", async () => {
    scene.hooks({ on: "pre_delegation", matcher: "^tester$", says: { decision: "block", reason: "no" } });
    expect((await lead(["written"])).told).toMatchObject({ text: "written" });
    const other = await lead(["never"], { request: { target_agent_id: "tester" } });
    expect(other.told).toMatchObject({ text: "Delegation blocked by hook: no" });
  });

  it("a rewrite that is no delegation blocks it", async () => {
    const says = nested("pre_delegation", { updated_delegation: { objective: 5 } });
    scene.hooks({ on: "pre_delegation", says });
    const { told, child } = await lead(["never"]);
    expect(told?.text).toContain("Delegation blocked by hook:");
    expect(child.requests).toEqual([]);
  });
});

describe("the life of a delegation", () => {
  it("Q-93 delegation_start has the status requested; its context reaches the child in a marked block, every time", async () => {
    scene.hooks({ on: "delegation_start", says: context("delegation_start", "the API froze in May") });
    const child = scriptedModel(["one", "two"]);
    const { agent } = await scene.agent([delegated(), delegated(), "done"], { agents: { coder: { model: child } } });
    await (await agent.open()).send("go");
    expect(scene.seen("delegation_start")).toMatchObject([{ status: "requested", ...asked }, { status: "requested" }]);
    for (const { messages } of child.requests) {
      expect(messages[0]?.text).toMatch(
        /<hook-context source="hooks, not the user">\n- the API froze in May\n<\/hook-context>/,
      );
    }
    expect(child.requests).toHaveLength(2);
  });

  it("Q-94 delegation_start cannot block: what tries to control leaves a notice that is no error", async () => {
    scene.hooks({ on: "delegation_start", says: { continue: false, stop_reason: "no" } });
    const { told } = await lead(["written"]);
    expect(told).toMatchObject({ text: "written" });
    expect(scene.of("notice").map(({ notice }) => notice)).toMatchObject([
      { event_name: "delegation_start", is_error: false },
    ]);
  });

  it("Q-95 post_delegation has child session, summary and verification; its context is in what the lead reads", async () => {
    scene.hooks({ on: "post_delegation", says: context("post_delegation", "run the tests yourself") });
    const { told } = await lead(["written"]);
    const created = scene.of("session_created").find(({ agent }) => agent === "coder");
    expect(scene.seen("post_delegation")).toMatchObject([
      {
        target_agent_id: "coder",
        child_session_id: created?.session,
        status: "complete",
        summary: "written",
        verification_passed: false,
      },
    ]);
    expect(told).toMatchObject({ text: "written\n\nrun the tests yourself", failed: false });
  });

  it("Q-96 delegation_failure has the error and its kind; its context is in what the lead reads", async () => {
    scene.hooks(
      { on: "delegation_failure", says: context("delegation_failure", "ask Mona") },
      { on: "post_delegation" },
    );
    const { told } = await lead([]);
    expect(scene.seen("delegation_failure")).toMatchObject([
      { status: "failed", error: expect.stringContaining("script has ended"), error_type: "Unknown Error" },
    ]);
    expect(told).toMatchObject({ text: expect.stringMatching(/script has ended[\s\S]*\n\nask Mona$/), failed: true });
    expect(scene.seen("post_delegation")).toEqual([]);
  });

  it("Q-95 a result was verified where somebody verified it", async () => {
    scene.hooks({ on: "post_delegation" });
    const coder = { model: scriptedModel(["written"]), verify: () => undefined };
    const { agent } = await scene.agent([delegated(), "done"], { agents: { coder } });
    await (await agent.open()).send("go");
    expect(scene.seen("post_delegation")).toMatchObject([{ verification_passed: true }]);
  });

  it("a result that does not pass its verification has failed", async () => {
    scene.hooks({ on: "delegation_failure" });
    const coder = { model: scriptedModel(["written"]), verify: () => "no test covers it" };
    const { agent } = await scene.agent([delegated(), "done"], { agents: { coder } });
    await (await agent.open()).send("go");
    expect(scene.seen("delegation_failure")).toMatchObject([
      { error: "verification failed: no test covers it", error_type: "Verification Failure" },
    ]);
  });

  it("Q-97 a lifecycle hook that fails never fails the delegation, and is recorded", async () => {
    const broken = (on: string) => ({ on, script: "echo broken >&2; exit 7" });
    scene.hooks(broken("delegation_start"), broken("post_delegation"));
    const { told } = await lead(["written"]);
    expect(told).toMatchObject({ text: "written", failed: false });
    expect(scene.records("notices").map(({ event_name, code }) => [event_name, code])).toEqual([
      ["delegation_start", "exit"],
      ["post_delegation", "exit"],
    ]);
  });

  it("Q-98 all four are reached from one [agent.hooks] config", async () => {
    const all = ["pre_delegation", "delegation_start", "post_delegation", "delegation_failure"];
    scene.hooks(...all.map((on) => ({ on })));
    await lead(["written"]);
    await lead([]);
    expect(all.map((event) => scene.seen(event).length)).toEqual([2, 2, 1, 1]);
  });

  it("the child keeps to the same hooks, linked to who asked", async () => {
    scene.hooks({ on: "pre_tool_use", matcher: "^shell$", says: { decision: "block", reason: "no shells" } });
    const { told } = await lead([calls(shell("touch made")), "it would not let me"], { ask: () => ({ allow: true }) });
    expect(told).toMatchObject({ text: "it would not let me" });
    expect(existsSync(join(scene.project, "made"))).toBe(false);
    expect(scene.seen("pre_tool_use")).toMatchObject([{ tool_name: "shell", agent_id: "coder", model: "child-model" }]);
    expect(scene.of("tool_blocked")).toMatchObject([{ agent: "coder" }]);
  });

  it("a cancelled delegation is neither done nor failed", async () => {
    scene.hooks({ on: "post_delegation" }, { on: "delegation_failure" });
    const cancelling = new AbortController();
    const child = scriptedModel([
      () => {
        cancelling.abort();
        return "too late";
      },
    ]);
    const { agent } = await scene.agent([delegated()], { agents: { coder: { model: child } } });
    const conversation = await agent.open();
    expect(await conversation.send("go", { signal: cancelling.signal })).toMatchObject({ status: "cancelled" });
    expect([...scene.seen("post_delegation"), ...scene.seen("delegation_failure")]).toEqual([]);
  });

  it("delegations end at the depth that is set", async () => {
    const { child } = await lead(["done"], { maxDepth: 1 });
    expect(child.requests[0]?.tools.map(({ name }) => name)).not.toContain("delegate");
  });
});
