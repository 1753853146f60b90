import { describe, expect, expectTypeOf, test } from "vitest";
import type { AttemptHookContext, PrepareHookContext, TaskTransitionHookContext } from "../core/run-contract.ts";
import { defineHook } from "./define-hook.ts";
import { judgeContext } from "./module.fixture.ts";
import { readModule } from "./module-definition.ts";
import { sampleEvent } from "./wire.fixture.ts";

describe("R-55 a hook of runs has its types from one entry point", () => {
  test("every phase knows what it is told and what it may answer", () => {
    const hook = defineHook({
      name: "all",
      prepare(ctx) {
        expectTypeOf(ctx).toExtend<PrepareHookContext>();
        expectTypeOf(ctx.signal).toEqualTypeOf<AbortSignal>();
        return {
          action: "continue",
          mutate: { vars: { slug: "x" }, run: { initialPrompt: ctx.defaultInitialPrompt } },
        };
      },
      async beforeAttempt(ctx) {
        expectTypeOf(ctx).toExtend<AttemptHookContext>();
        return { action: "block", reason: ctx.attemptPrompt };
      },
      afterAttempt(ctx) {
        expectTypeOf(ctx.attemptResult.timedOut).toBeBoolean();
        return { action: "reinvoke", followUpPrompt: "again" };
      },
      afterExit: () => null,
      taskTransition(ctx) {
        expectTypeOf(ctx).toExtend<TaskTransitionHookContext>();
        if (ctx.transition.to.status === "completed") return { accept: false, reason: "not yet" };
        return { accept: true, mutate: { patchTasks: [{ taskId: "b", status: "blocked" }] } };
      },
    });
    expectTypeOf(hook.name).toBeString();
  });

  test("an answer that is none does not compile", () => {
    // @ts-expect-error a block has a reason
    const silent = defineHook({ name: "silent", prepare: () => ({ action: "block" }) });
    // @ts-expect-error an edit is accepted or not
    const vague = defineHook({ name: "vague", taskTransition: () => ({ action: "continue" }) });
    expect([silent.name, vague.name]).toEqual(["silent", "vague"]);
  });

  test("our own style has the same events, typed", () => {
    defineHook({
      name: "ours",
      on: ["before_attempt", "task_transition"],
      judge(event) {
        expectTypeOf(event.run.id).toBeString();
        if (event.name === "task_transition") return event.toStatus === "completed" ? { block: "no" } : { allow: true };
        return { mutate: { run: { attemptPrompt: `${event.prompt} please` } } };
      },
    });
  });
});

const esm = (value: object) => Object.defineProperty({ ...value }, "__esModule", { value: true });
const asked = (module: object, event = sampleEvent("before_attempt")) =>
  readModule(esm({ default: module }), "/p/hook.ts")[0]?.judge(event as never, judgeContext());

describe("a module written for agent-runner", () => {
  test("R-6 is an object with a name; its methods say which phases it serves", () => {
    const [hook] = readModule(esm({ default: { name: "freeze", prepare() {}, taskTransition() {} } }), "/p/hook.ts");
    expect(hook?.data).toEqual({ name: "freeze", on: ["prepare", "task_transition"] });
    const [namespace] = readModule(esm({ name: "loose", afterExit() {} }), "/p/hook.ts");
    expect(namespace?.data).toEqual({ name: "loose", on: ["after_exit"] });
  });

  test("R-6 without a name, or with a phase that is misspelt, is refused clearly", () => {
    expect(() => readModule(esm({ default: { prepare() {} } }), "/p/hook.ts")).toThrow(/an object with a name/);
    const typo = { name: "x", beforeAtempt() {} };
    expect(() => readModule(esm({ default: typo }), "/p/hook.ts")).toThrow(
      /no phase beforeAtempt; did you mean beforeAttempt/,
    );
    expect(() => defineHook({ name: "x", prepare: 5 as never })).toThrow(/prepare must be a function/);
  });

  test("is told the context it knows, with `this` as its own", async () => {
    let seen: unknown;
    const module = {
      name: "looks",
      mark: "mine",
      taskTransition(ctx: unknown) {
        seen = { ctx, mark: this.mark };
        return { accept: true };
      },
    };
    await asked(module, sampleEvent("task_transition") as never);
    expect(seen).toMatchObject({
      mark: "mine",
      ctx: {
        schemaVersion: 1,
        phase: "taskTransition",
        assignment: { name: "feature", sourcePath: "/w/assignment.md" },
        run: {
          runId: "run-1",
          pinned: false,
          workspaceDir: "/state/run-1",
          totalAttemptCount: 1,
          totalSessionCount: 1,
        },
        vars: { baseBranch: "main" },
        tasks: { items: [{ id: "t-1" }], completed: 0, total: 1 },
        transition: {
          taskId: "t-1",
          source: "task-set",
          from: { status: "pending", notes: "" },
          to: { status: "completed", notes: "", title: "write it", body: "" },
          tentative: true,
          changedFields: ["status"],
        },
      },
    });
  });

  test("is told of an attempt what came of it", async () => {
    let seen: unknown;
    const module = {
      name: "a",
      afterAttempt(ctx: unknown) {
        seen = ctx;
      },
    };
    await asked(module, sampleEvent("after_attempt") as never);
    expect(seen).toMatchObject({
      attemptPrompt: "begin",
      retriesRemaining: 3,
      sessionIndex: 0,
      attemptIndexInSession: 0,
      attemptResult: { exitCode: 0, signal: null, timedOut: false, sessionId: "b-1", rawStdout: "", aborted: false },
    });
  });

  test.each([
    ["nothing", undefined, { opinion: { kind: "none" } }],
    ["null", null, { opinion: { kind: "none" } }],
    ["continue", { action: "continue" }, { opinion: { kind: "none" }, mutate: {} }],
    ["block", { action: "block", reason: "no" }, { opinion: { kind: "block", reason: "no" }, mutate: {} }],
    [
      "reinvoke with a mutation",
      { action: "reinvoke", followUpPrompt: "again", mutate: { note: "n" } },
      { opinion: { kind: "reinvoke", prompt: "again" }, mutate: { note: "n" } },
    ],
  ])("answers %s", async (_name, result, verdict) => {
    expect(await asked({ name: "a", beforeAttempt: () => result })).toEqual(verdict);
  });

  test.each([
    ["{}", {}, /action: null/],
    ["a string", "str", /answered "str"/],
    ["a block without a reason", { action: "block" }, /a block without reason/],
    ["a blank reason", { action: "block", reason: "  " }, /a block without reason/],
    ["a reinvoke without a prompt", { action: "reinvoke" }, /without followUpPrompt/],
    ["an unknown action", { action: "stop" }, /action: "stop"/],
    ["an answer of another phase", { accept: true }, /answered "accept"/],
    ["an unknown key", { action: "continue", mutat: {} }, /did you mean mutate/],
    ["what is no data", { action: "continue", mutate: { state: { at: new Date() } } }, /only JSON data/],
  ])("RB-2 %s is a failure of the hook, not an answer", async (_name, result, message) => {
    await expect(asked({ name: "a", beforeAttempt: () => result })).rejects.toThrow(message);
  });

  test("R-29 what it answers after the run's end changes nothing, and says so", async () => {
    const verdict = await asked(
      { name: "a", afterExit: () => ({ action: "block", reason: "late", mutate: { note: "n" } }) },
      sampleEvent("after_exit") as never,
    );
    expect(verdict).toMatchObject({ opinion: { kind: "none" }, mutate: { note: "n" } });
    expect(verdict?.effects).toMatchObject([{ type: "notice", notice: { code: "control-ignored" } }]);
  });
});

test("RB-2 our own hook that answers {} to a run has said nothing, and that is a failure", async () => {
  const hook = defineHook({ name: "ours", on: ["before_attempt"], judge: () => ({}) });
  expect(() => asked(hook)).toThrow(/answered \{\}/);
});
