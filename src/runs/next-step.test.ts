import { describe, expect, it } from "vitest";
import { type AttemptEnd, nextStep } from "./next-step.ts";
import type { TaskStatus } from "./task.ts";

const RESULT = { exitCode: 0, signal: null, isTimedOut: false, isAborted: false, isSessionUnknown: false };
const tasks = (...statuses: TaskStatus[]) => statuses.map((status, index) => ({ id: `t${index + 1}`, status }));
const CONTINUE = { kind: "continue" } as const;
const REINVOKE = { kind: "reinvoke", hook: "h", prompt: "again" } as const;
const BLOCK = { kind: "block", hook: "h", reason: "no" } as const;
const FAILED = { kind: "error", hook: "h", message: "boom", isTimeout: false } as const;
const open = tasks("completed", "pending");
const done = tasks("completed", "completed");

const after = (end: Partial<Omit<AttemptEnd, "result">> & { result?: Partial<AttemptEnd["result"]> }) => {
  const { result, ...rest } = end;
  const step = nextStep({
    phase: CONTINUE,
    tasks: open,
    attemptsLeft: 1,
    ...rest,
    result: { ...RESULT, ...result },
  });
  return step.kind === "end" ? step.status : step.prompt === null ? "nudge" : `prompt: ${step.prompt}`;
};

describe("what comes after an attempt", () => {
  it.each([
    ["R-28 a hook's block ends it", { phase: BLOCK, tasks: done }, "blocked"],
    ["R-28 a block is heard before an abort", { phase: BLOCK, result: { isAborted: true } }, "blocked"],
    ["R-50 a person's stop ends it", { result: { isAborted: true } }, "aborted"],
    [
      "R-50 a person's stop is heard before a hook that would go on",
      { phase: REINVOKE, result: { isAborted: true } },
      "aborted",
    ],
    ["R-31 a hook that fails ends it", { phase: FAILED, tasks: done }, "error"],
    ["R-26 a hook asks for another attempt", { phase: REINVOKE }, "prompt: again"],
    ["R-26 a hook asks for another attempt though all is done", { phase: REINVOKE, tasks: done }, "prompt: again"],
    ["R-26 a hook asks and none is left", { phase: REINVOKE, tasks: done, attemptsLeft: 0 }, "exhausted"],
    ["the backend does not know its session", { result: { isSessionUnknown: true, exitCode: 1 } }, "error"],
    ["no tasks and exit 0", { tasks: [] }, "success"],
    ["no tasks and another exit code", { tasks: [], result: { exitCode: 7 } }, "error"],
    ["no tasks and out of time", { tasks: [], result: { isTimedOut: true } }, "error"],
    ["all tasks completed", { tasks: done }, "success"],
    ["all tasks completed by a backend that then failed", { tasks: done, result: { exitCode: 1 } }, "success"],
    ["a task is blocked", { tasks: tasks("completed", "blocked", "pending") }, "blocked"],
    ["tasks are open and an attempt is left", {}, "nudge"],
    ["tasks are open, the backend failed, an attempt is left", { result: { exitCode: 1 } }, "nudge"],
    ["tasks are open and none is left", { attemptsLeft: 0 }, "exhausted"],
    ["in progress is open", { tasks: tasks("in_progress"), attemptsLeft: 0 }, "exhausted"],
  ] as const)("%s", (_name, end, expected) => {
    expect(after(end)).toBe(expected);
  });

  it("RB-12 an end that is no success always says why", () => {
    const ends = [
      { phase: BLOCK },
      { phase: FAILED },
      { phase: { ...REINVOKE }, attemptsLeft: 0 },
      { result: { ...RESULT, isAborted: true } },
      { result: { ...RESULT, isSessionUnknown: true } },
      { tasks: [], result: { ...RESULT, exitCode: 7 } },
      { tasks: tasks("blocked") },
      { attemptsLeft: 0 },
    ];
    for (const end of ends) {
      const step = nextStep({ phase: CONTINUE, result: RESULT, tasks: open, attemptsLeft: 1, ...end });
      expect(step).toMatchObject({ kind: "end", reason: expect.stringMatching(/./) });
    }
  });
});
