import { describe, expect, test } from "vitest";
import type { Json } from "../../core/json.ts";
import type { Phase } from "../run.ts";
import { thrown } from "../scratch.fixture.ts";
import type { Moment } from "./phase.ts";
import { checkWhen, matchesWhen } from "./when.ts";

const check = (when: Json, phase: Phase = "taskTransition", task: string | null = null) =>
  checkWhen(when, { phase, tasks: ["plan", "build"], task, place: { file: "/a.md", line: 3 } });

const attempt = (sessionIndex: number, attemptIndex: number): Moment => ({
  phase: "beforeAttempt",
  prompt: "",
  attempt: 1,
  retriesRemaining: 0,
  sessionIndex,
  attemptIndex,
});

const task = (id: string, status: "pending" | "completed") => ({ id, title: "", body: "", status, notes: "" });
const edit = (changes: object = {}): Moment => ({
  phase: "taskTransition",
  transition: {
    taskId: "plan",
    source: "task-set",
    before: task("plan", "pending"),
    after: task("plan", "completed"),
    ...changes,
  },
});

describe("R-11 the filter of an attempt", () => {
  test.each([
    [{ sessionIndex: 0 }, attempt(0, 5), true],
    [{ sessionIndex: 0 }, attempt(1, 0), false],
    [{ attemptIndexInSession: [0, 2] }, attempt(3, 2), true],
    [{ attemptIndexInSession: [0, 2] }, attempt(3, 1), false],
    [{ sessionIndex: [0], attemptIndexInSession: 1 }, attempt(0, 1), true],
    [{ sessionIndex: [0], attemptIndexInSession: 1 }, attempt(0, 0), false],
    [null, attempt(4, 4), true],
  ])("%j", (when, moment, asked) => {
    expect(matchesWhen(check(when, "beforeAttempt"), moment)).toBe(asked);
  });

  test.each([
    [{ sessionIndex: -1 }],
    [{ sessionIndex: "0" }],
    [{ sessionIndex: [] }],
    [{ sessionIndex: [1, 1] }],
    [{ session: 0 }],
    [{ taskId: "plan" }],
    ["always"],
  ])("%j is an error", async (when) => {
    expect(await thrown(() => check(when, "afterExit"))).toMatchObject({ code: "HF1009", place: { line: 3 } });
  });

  test("a misspelt key names the nearest", async () => {
    expect(await thrown(() => check({ sesionIndex: 0 }, "afterAttempt"))).toMatchObject({
      fix: "did you mean sessionIndex?",
    });
  });
});

describe("R-13 the filter of a task edit", () => {
  test.each([
    [{ taskId: "plan" }, edit(), true],
    [{ taskId: "build" }, edit(), false],
    [{ taskIds: ["build", "plan"] }, edit(), true],
    [{ fromStatus: ["pending"], toStatus: ["completed"] }, edit(), true],
    [{ toStatus: "blocked" }, edit(), false],
    [{ source: ["task-add"] }, edit(), false],
    [{ fromStatus: ["pending"] }, edit({ before: null }), false],
    [{ source: ["task-delete"] }, edit({ source: "task-delete", after: null }), true],
    [{ toStatus: ["completed"] }, edit({ after: null }), false],
    [{ source: ["run-loop"] }, edit({ source: "run-loop" }), true],
  ])("%j", (when, moment, asked) => {
    expect(matchesWhen(check(when), moment)).toBe(asked);
  });

  test.each([
    [{ taskId: "plan", taskIds: ["build"] }, /both taskId and taskIds/],
    [{ taskIds: [] }, /is empty/],
    [{ taskIds: ["plan", "plan"] }, /names a task twice/],
    [{ toStatus: ["completed", "completed"] }, /names the same twice/],
    [{ toStatus: [] }, /is empty/],
    [{ toStatus: ["done"] }, /toStatus\.0: must be one of pending, in_progress, completed, blocked, not "done"/],
    [{ toStatus: "done" }, /toStatus: must be one of pending, .*, not "done"/],
    [{ toStatus: 3 }, /toStatus: must be .*not 3/],
    [{ taskId: "paln" }, /task "paln"/],
    [{ toState: ["completed"] }, /unknown key "toState"/],
    [{ sessionIndex: 0 }, /unknown key/],
  ])("%j is an error", async (when, message) => {
    const error = await thrown(() => check(when));
    expect(error.code).toBe("HF1009");
    expect(error.message).toMatch(message);
  });

  test("R-8 a task's own hook is about that task", async () => {
    expect(check({ taskId: "plan" }, "taskTransition", "plan")).toEqual({ taskId: "plan" });
    expect(await thrown(() => check({ taskId: "build" }, "taskTransition", "plan"))).toMatchObject({ code: "HF1009" });
  });
});
