import { describe, expect, it } from "vitest";
import { clashes, isJudgedAlike, mergeRun } from "./merge.ts";
import { aRun, task } from "./run.fixture.ts";

const base = aRun({ state: { a: 1, b: 1 }, tasks: [task("one"), task("two", { notes: "first" })] });

describe("a change carried over to a newer version", () => {
  it("R-38 takes what was changed and leaves what others changed", () => {
    const changed = {
      ...base,
      state: { a: 2, b: 1 },
      note: "mine",
      tasks: [task("one", { status: "completed" }), base.tasks[1] ?? task("two")],
    };
    const fresh = {
      ...base,
      version: 9,
      name: "theirs",
      state: { a: 1, b: 5, c: 1 },
      settings: { ...base.settings, model: "m" },
      tasks: [task("one", { notes: "theirs" }), task("two", { notes: "first", status: "blocked" }), task("three")],
    };
    expect(mergeRun(base, changed, fresh)).toEqual({
      ...fresh,
      note: "mine",
      state: { a: 2, b: 5, c: 1 },
      tasks: [
        task("one", { status: "completed", notes: "theirs" }),
        task("two", { notes: "first", status: "blocked" }),
        task("three"),
      ],
    });
  });

  it("R-40 notes that both added to keep both additions", () => {
    const append = (notes: string) => ({
      ...base,
      tasks: [base.tasks[0] ?? task("one"), task("two", { notes: `first\n${notes}` })],
    });
    expect(mergeRun(base, append("mine"), append("theirs")).tasks[1]?.notes).toBe("first\ntheirs\nmine");
    const empty = { ...base, tasks: [task("one"), task("two")] };
    const first = (notes: string) => ({ ...empty, tasks: [task("one"), task("two", { notes })] });
    expect(mergeRun(empty, first("mine"), first("theirs")).tasks[1]?.notes).toBe("theirs\nmine");
  });

  it("a task that one deletes and another edits is deleted; one that is added stays last", () => {
    const changed = { ...base, tasks: [task("two", { notes: "first" }), task("mine")] };
    const fresh = { ...base, tasks: [task("one", { notes: "x" }), task("two", { notes: "first" }), task("theirs")] };
    expect(mergeRun(base, changed, fresh).tasks.map(({ id }) => id)).toEqual(["two", "theirs", "mine"]);
  });

  it("R-38 the same key of state changed twice clashes, another key does not", () => {
    expect(clashes(base, { ...base, state: { a: 2, b: 1 } }, { ...base, state: { a: 3, b: 1 } })).toBe(true);
    expect(clashes(base, { ...base, state: { a: 2, b: 1 } }, { ...base, state: { a: 1, b: 7 } })).toBe(false);
  });

  it("hooks judge by statuses and state, not by notes", () => {
    expect(isJudgedAlike(base, { ...base, tasks: [task("one", { notes: "n" }), base.tasks[1] ?? task("two")] })).toBe(
      true,
    );
    expect(
      isJudgedAlike(base, { ...base, tasks: [task("one", { status: "blocked" }), base.tasks[1] ?? task("two")] }),
    ).toBe(false);
    expect(isJudgedAlike(base, { ...base, state: {} })).toBe(false);
  });
});
