import { describe, expect, it } from "vitest";
import { agentScene, calls, shell } from "./agent.fixture.ts";
import { type DagStep, runDag } from "./dag.ts";
import { jsonMode } from "./json-mode.ts";
import { type ScriptedStep, scriptedModel } from "./scripted-model.ts";

const scene = agentScene();
const step = (id: string, needs: readonly string[], steps: readonly ScriptedStep[]): DagStep => ({
  id,
  task: `task ${id}`,
  needs,
  role: { model: scriptedModel(steps) },
});
const parent = async () => (await (await scene.agent([])).agent).open({ id: "run" });

describe("a graph of steps", () => {
  it("a step runs after those it needs and is given their results; independent ones run side by side", async () => {
    let running = 0;
    let bothRun = () => {};
    const both = new Promise<void>((done) => {
      bothRun = done;
    });
    // Whoever waited for the other to end would wait for ever.
    const slow = async () => {
      running += 1;
      if (running === 2) bothRun();
      await both;
      return "found";
    };
    const last = scriptedModel(["joined"]);
    const steps: DagStep[] = [
      { id: "join", task: "join them", needs: ["a", "b"], role: { model: last } },
      step("a", [], [slow]),
      step("b", [], [slow]),
    ];
    const results = await runDag(await parent(), steps);
    expect([...results]).toEqual([
      ["join", { status: "completed", text: "joined" }],
      ["a", { status: "completed", text: "found" }],
      ["b", { status: "completed", text: "found" }],
    ]);
    expect(last.requests[0]?.messages.at(-1)?.text).toBe(
      "Result of step a:\nfound\n\nResult of step b:\nfound\n\njoin them",
    );
  });

  it("no more steps run at a time than are allowed", async () => {
    let running = 0;
    const alone = async () => {
      running += 1;
      expect(running).toBe(1);
      await new Promise((soon) => setTimeout(soon, 5));
      running -= 1;
      return "done";
    };
    const steps = ["a", "b", "c"].map((id) => step(id, [], [alone]));
    const results = await runDag(await parent(), steps, { parallel: 1 });
    expect([...results.values()].every(({ status }) => status === "completed")).toBe(true);
  });

  it("a step that fails stops those that need it, and no other", async () => {
    const steps = [step("a", [], []), step("b", ["a"], ["x"]), step("c", ["b"], ["x"]), step("d", [], ["fine"])];
    const results = await runDag(await parent(), steps);
    expect([...results].map(([id, { status }]) => [id, status])).toEqual([
      ["a", "failed"],
      ["b", "skipped"],
      ["c", "skipped"],
      ["d", "completed"],
    ]);
    expect(results.get("b")?.text).toBe("step a, which it needs, was failed");
  });

  it("F-10 each step keeps to the parent's hooks, with native calls and in JSON mode alike", async () => {
    scene.hooks({ on: "pre_tool_use", says: { decision: "block", reason: "no shells" } });
    const json = jsonMode(scriptedModel(['{"calls":[{"tool":"shell","input":{"command":"touch b"}}]}', "stopped"]));
    const steps = [step("a", [], [calls(shell("touch a")), "stopped"]), { id: "b", task: "b", role: { model: json } }];
    const results = await runDag(await parent(), steps);
    expect([...results.values()].map(({ text }) => text)).toEqual(["stopped", "stopped"]);
    expect(
      scene
        .seen("pre_tool_use")
        .map(({ agent_id }) => agent_id)
        .sort(),
    ).toEqual(["a", "b"]);
    for (const { session } of scene.of("tool_blocked")) expect(session).toMatch(/^run\//);
    expect(scene.of("tool_blocked")).toHaveLength(2);
  });

  it("a circle, an unknown step and a name given twice are told before anything runs", async () => {
    const conversation = await parent();
    const run = (...steps: DagStep[]) => runDag(conversation, steps);
    await expect(run(step("a", ["b"], []), step("b", ["c"], []), step("c", ["b"], []))).rejects.toThrow(
      "in a circle: b -> c -> b",
    );
    await expect(run(step("a", ["z"], []))).rejects.toThrow('step "a" needs "z", which is no step');
    await expect(run(step("a", [], []), step("a", [], []))).rejects.toThrow('two steps are called "a"');
    expect(scene.of("turn_started")).toEqual([]);
  });

  it.each([0, -1, Number.NaN])(
    "to run %d steps at a time is an error, and no wait without an end",
    async (parallel) => {
      const running = runDag(await parent(), [step("a", [], ["x"])], { parallel });
      await expect(running).rejects.toThrow(`from 1 on, not ${parallel}`);
      expect(scene.of("turn_started")).toEqual([]);
    },
  );

  it("a cancelled graph begins no further step", async () => {
    const cancelling = new AbortController();
    const first = () => {
      cancelling.abort();
      return "too late";
    };
    const steps = [step("a", [], [first]), step("b", ["a"], ["x"])];
    const results = await runDag(await parent(), steps, { signal: cancelling.signal });
    expect([...results.values()].map(({ status }) => status)).toEqual(["cancelled", "skipped"]);
  });

  it("a conversation that ends cancels the steps it has running and begins no other; its end comes last", async () => {
    const run = await parent();
    let ending = Promise.resolve();
    const first = () => {
      ending = run.end("the person left");
      return new Promise<never>(() => {});
    };
    const steps = [step("a", [], [first]), step("b", [], ["x"]), step("c", ["a"], ["x"])];
    const results = await runDag(run, steps, { parallel: 1 });
    await ending;
    expect([...results.values()].map(({ status }) => status)).toEqual(["cancelled", "cancelled", "skipped"]);
    const ended = scene.records("audit").filter(({ event }) => event === "session_end");
    expect(ended).toHaveLength(2);
    expect(ended.at(-1)).toMatchObject({ session: "run" });
    expect(scene.records("audit").at(-1)).toMatchObject({ event: "session_end", session: "run" });
  });
});
