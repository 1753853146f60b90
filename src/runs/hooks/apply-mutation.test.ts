import { describe, expect, test } from "vitest";
import type { Json } from "../../core/json.ts";
import type { Mutation } from "../mutation.ts";
import type { Phase } from "../run.ts";
import { sampleRun } from "../scratch.fixture.ts";
import { applyMutation } from "./apply-mutation.ts";
import { checkedMutation } from "./mutation-schema.ts";

const apply = (
  mutation: Mutation,
  { run = sampleRun(), phase = "beforeAttempt" as Phase, may = null as null | never[] } = {},
) => applyMutation(run, mutation, { phase, may });

describe("RB-2 a mutation is checked whole before any of it is applied", () => {
  test.each<[string, Json, RegExp]>([
    ["a status that is none", { patchTasks: [{ taskId: "a", status: "done" }] }, /patchTasks.0.status/],
    ["a timeout that is no number", { run: { timeoutSec: "60" } }, /run.timeoutSec/],
    ["an effort that is none", { run: { effort: "huge" } }, /run.effort/],
    ["a state that is no object", { state: [1] }, /mutate.state/],
    [
      "both kinds of notes",
      { patchTasks: [{ taskId: "a", notesReplace: "x", notesAppend: "y" }] },
      /both notesReplace/,
    ],
    ["an unknown key", { notes: "x" }, /unknown key "notes"; did you mean note\?/],
    ["an unknown key of the run", { run: { dir: "/" } }, /run: has an unknown key "dir"/],
    ["a variable that is a list", { vars: { a: [1] } }, /vars.a/],
    ["a file without its path", { attachments: { add: [{ name: "x" }] } }, /add.0.sourcePath/],
  ])("R-40 %s", (_name, mutate, message) => {
    const verdict = { opinion: { kind: "none" as const }, mutate: mutate as never };
    expect(() => checkedMutation(verdict)).toThrow(message);
  });

  test("a refusal has a reason, another attempt a prompt", () => {
    expect(() => checkedMutation({ opinion: { kind: "block", reason: " " } })).toThrow(/without a reason/);
    expect(() => checkedMutation({ opinion: { kind: "reinvoke", prompt: "" } })).toThrow(/without a prompt/);
    expect(checkedMutation({ opinion: { kind: "none" } })).toEqual({});
  });
});

describe("applying a mutation", () => {
  test("R-19 sets what the run works with, and leaves the run it was given as it was", () => {
    const run = sampleRun();
    const before = structuredClone(run);
    const changed = applyMutation(
      run,
      {
        run: {
          cwd: "/w",
          backend: "codex",
          model: "m",
          effort: "low",
          timeoutSec: 5,
          unrestricted: false,
          lockedFields: ["cwd"],
        },
        vars: { slug: "x", n: 2 },
        state: { seen: 1 },
        note: "**hi**",
        pinned: true,
        patchTasks: [{ taskId: "b", status: "blocked", notesReplace: "why" }],
      },
      { phase: "prepare", may: null },
    );
    expect(changed).toMatchObject({
      settings: {
        cwd: "/w",
        backend: "codex",
        model: "m",
        effort: "low",
        timeoutSec: 5,
        unrestricted: false,
        maxRetries: 3,
      },
      lockedFields: ["cwd"],
      vars: { slug: { source: "prepare", value: "x" }, n: { source: "prepare", value: 2 } },
      state: { seen: 1 },
      note: "**hi**",
      isPinned: true,
      tasks: [
        { id: "a", status: "pending" },
        { id: "b", status: "blocked", notes: "why" },
      ],
    });
    expect(run).toEqual(before);
  });

  test("R-30 variables can be set in prepare only", () => {
    expect(() => apply({ vars: { a: 1 } }, { phase: "afterAttempt" })).toThrow(/in prepare only/);
  });

  test("prompts belong to the phases that have one", () => {
    expect(() => apply({ run: { initialPrompt: "x" } })).toThrow(/belongs to prepare/);
    expect(() => apply({ run: { attemptPrompt: "x" } }, { phase: "taskTransition" })).toThrow(
      /belongs to beforeAttempt/,
    );
  });

  test("R-39 state is merged key by key", () => {
    expect(apply({ state: { b: 2, c: { d: 1 } } }, { run: sampleRun({ state: { a: 1, c: { e: 5 } } }) }).state).toEqual(
      {
        a: 1,
        b: 2,
        c: { d: 1 },
      },
    );
  });

  test("R-40 patches name tasks that are there; notes are appended on a line of their own", () => {
    expect(() => apply({ patchTasks: [{ taskId: "c" }] })).toThrow(/task "c", which is not there/);
    const twice = apply({
      patchTasks: [
        { taskId: "a", notesAppend: "one" },
        { taskId: "a", notesAppend: "two" },
      ],
    });
    expect(twice.tasks[0]?.notes).toBe("one\ntwo");
  });

  test("R-42 a note of nothing but blanks is none", () => {
    expect(apply({ note: "  \n" }, { run: sampleRun({ note: "old" }) }).note).toBeNull();
    expect(apply({ note: null }, { run: sampleRun({ note: "old" }) }).note).toBeNull();
    expect(apply({}, { run: sampleRun({ note: "old" }) }).note).toBe("old");
  });

  test.each<[string, Mutation, string]>([
    ["cwd", { run: { cwd: "/x" } }, "cwd"],
    ["model", { run: { model: null } }, "model"],
    ["timeoutSec", { run: { timeoutSec: 1 } }, "timeoutSec"],
    ["tasks", { patchTasks: [{ taskId: "a", status: "completed" }] }, "tasks"],
    ["a lock itself", { run: { lockedFields: [] } }, "cwd"],
  ])("RB-10 a hook does not change %s where it is locked, unless it is granted", (_name, mutation, field) => {
    const run = sampleRun({ lockedFields: ["cwd", "model", "timeoutSec", "tasks"] });
    expect(() => apply(mutation, { run })).toThrow(`${field} is locked`);
    const may = ["run", "tasks", "locked"] as const;
    expect(() => applyMutation(run, mutation, { phase: "beforeAttempt", may })).not.toThrow();
  });

  test("RB-10 a hook may lock more", () => {
    const run = sampleRun({ lockedFields: ["cwd"] });
    expect(apply({ run: { lockedFields: ["cwd", "model"] } }, { run }).lockedFields).toEqual(["cwd", "model"]);
  });

  test("RB-10 the first prompt is locked with the instructions and the message", () => {
    const run = sampleRun({ lockedFields: ["message"] });
    expect(() => apply({ run: { initialPrompt: "x" } }, { run, phase: "prepare" })).toThrow("message is locked");
  });

  test.each<[keyof Mutation, Mutation]>([
    ["run", { run: { cwd: "/x" } }],
    ["state", { state: {} }],
    ["note", { note: "x" }],
    ["pinned", { pinned: true }],
    ["patchTasks", { patchTasks: [] }],
    ["attachments", { attachments: {} }],
  ])("RB-10 a hook that is not granted %s may not change it", (key, mutation) => {
    expect(() => apply(mutation, { may: [] })).toThrow(`it may not change ${key}`);
  });
});
