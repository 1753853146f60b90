import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { defineHook } from "../custom/define-hook.ts";
import { agentScene, call, calls, shell } from "./agent.fixture.ts";
import { permissionModeNamed } from "./permission-mode.ts";

const scene = agentScene();
const write = call("write", { path: "a.txt", text: "x" });
const ran = () => scene.of("tool_finished").map(({ name }) => name);
const blocked = () => scene.of("tool_blocked").map(({ name }) => name);

describe("permission modes", () => {
  it("Q-99 Build, Plan and Review are default, plan and accept_edits", async () => {
    expect(["Build", "Plan", "Review"].map(permissionModeNamed)).toEqual(["default", "plan", "accept_edits"]);
    expect(permissionModeNamed("default")).toBe("default");
    expect(permissionModeNamed("yolo")).toBeUndefined();
  });

  it("in plan mode only reading tools run, whatever a hook or a person allows", async () => {
    scene.hooks({ on: "pre_tool_use", says: { decision: "approve" } });
    const { agent } = await scene.agent([calls(shell("touch made"), write, call("search", { text: "x" })), "ok"], {
      ask: () => ({ allow: true }),
    });
    const conversation = await agent.open({ permissionMode: "plan" });
    await conversation.send("go");
    expect(blocked().sort()).toEqual(["shell", "write"]);
    expect(ran()).toEqual(["search"]);
    expect(existsSync(join(scene.project, "made"))).toBe(false);
    expect(scene.seen("pre_tool_use")).toHaveLength(3);
  });

  it("in accept_edits edits run unasked, commands do not", async () => {
    const { agent } = await scene.agent([calls(write, shell("touch made")), "ok"]);
    await (await agent.open({ permissionMode: "accept_edits" })).send("go");
    expect(ran()).toEqual(["write"]);
    expect(blocked()).toEqual(["shell"]);
  });

  it("a sub-agent is in the mode of who asked it", async () => {
    const agents = { coder: {} };
    const delegate = call("delegate", { target_agent_id: "coder", objective: "write" });
    const { agent } = await scene.agent([calls(delegate), calls(write), "could not", "ok"], { agents });
    await (await agent.open({ permissionMode: "plan" })).send("go");
    expect(blocked()).toEqual(["write"]);
  });

  it("Q-100 a mode that is set during a turn is seen by the next, by hooks and by the gate", async () => {
    scene.hooks({ on: "pre_tool_use" });
    let setPlan = () => {};
    const step = () => {
      setPlan();
      return calls(write);
    };
    const { agent } = await scene.agent([step, "ok", calls(write), "ok"], { ask: () => ({ allow: true }) });
    const conversation = await agent.open();
    setPlan = () => conversation.setMode("plan");
    await conversation.send("one");
    expect(ran()).toEqual(["write"]);
    await conversation.send("two");
    expect(blocked()).toEqual(["write"]);
    expect(scene.seen("pre_tool_use").map(({ permission_mode }) => permission_mode)).toEqual(["default", "plan"]);
    expect(scene.of("turn_started").map(({ mode }) => mode)).toEqual(["default", "plan"]);
  });

  it("Q-101 all hooks of one turn have its id, and each turn has its own", async () => {
    const events = ["user_prompt_submit", "pre_tool_use", "permission_request", "post_tool_use", "stop"];
    scene.hooks(...events.map((on) => ({ on })));
    const { agent } = await scene.agent([calls(shell("true")), "ok", calls(shell("true")), "ok"], {
      ask: () => ({ allow: true }),
    });
    const conversation = await agent.open();
    await conversation.send("one");
    await conversation.send("two");
    const turns = events.map((event) => scene.seen(event).map(({ turn_id }) => turn_id));
    expect(new Set(turns.map((ids) => JSON.stringify(ids))).size).toBe(1);
    expect(new Set(turns[0]).size).toBe(2);
    expect(turns[0]).toEqual(scene.of("turn_started").map(({ turn }) => turn));
  });
});

describe("notices", () => {
  it("Q-102 are kept, told live, and told again when the conversation is taken up", async () => {
    scene.hooks({ on: "stop", script: "exit 9" });
    const first = await scene.agent(["done"]);
    const before = await first.agent.open({ id: "s1" });
    await before.send("go");
    const [live] = scene.of("notice");
    expect(live).toMatchObject({ session: "s1", replayed: false });
    expect(live?.notice).toMatchObject({ event_name: "stop", message: expect.any(String), is_error: true });
    expect(scene.records("notices")).toMatchObject([live?.notice]);

    scene.events.length = 0;
    const second = await scene.agent(["done"]);
    await second.agent.open({ id: "s1", messages: before.messages });
    expect(scene.of("notice")).toMatchObject([{ session: "s1", replayed: true, notice: live?.notice }]);
    expect(await second.agent.notices("s1")).toMatchObject([live?.notice]);
    expect(await second.agent.notices("s2")).toEqual([]);
  });

  it("of sub-agents belong to the conversation that asked them", async () => {
    scene.hooks({ on: "stop", script: `case "$event" in *'"agent_id":"coder"'*) exit 9;; esac` });
    const delegate = call("delegate", { target_agent_id: "coder", objective: "write" });
    const { agent } = await scene.agent([calls(delegate), "written", "ok"], { agents: { coder: {} } });
    await (await agent.open({ id: "s1" })).send("go");
    expect(scene.of("notice")).toMatchObject([{ agent: "coder" }]);
    expect(await agent.notices("s1")).toHaveLength(1);
  });

  it("Q-103 never change how a turn ends", async () => {
    const hooks = ["session_start", "post_tool_use", "stop"].map((on) => ({ on, says: "no JSON" }));
    scene.hooks(...hooks);
    const onEvent = () => {
      throw new Error("whoever watches is broken too");
    };
    const remarks: string[] = [];
    const onRemark = (remark: string) => remarks.push(remark);
    const { agent } = await scene.agent([calls(shell("echo fine")), "done"], {
      ask: () => ({ allow: true }),
      onEvent,
      onRemark,
    });
    const conversation = await agent.open();
    expect(await conversation.send("go")).toEqual({ status: "completed", text: "done" });
    expect(conversation.messages).toContainEqual(
      expect.objectContaining({ role: "tool", text: "fine", failed: false }),
    );
    expect(scene.records("notices").map(({ event_name }) => event_name)).toEqual([
      "session_start",
      "post_tool_use",
      "stop",
    ]);
    expect(remarks[0]).toContain("onEvent failed on session_created: whoever watches is broken too");
  });

  it("a hook in code that throws is one too", async () => {
    const hooks = [
      defineHook({
        name: "broken",
        on: ["stop"],
        judge() {
          throw new Error("boom");
        },
      }),
    ];
    const { agent } = await scene.agent(["done"], { hooks });
    expect(await (await agent.open()).send("go")).toMatchObject({ status: "completed" });
    expect(scene.of("notice")).toMatchObject([
      { notice: { hook: "broken", message: expect.stringContaining("boom") } },
    ]);
  });
});
