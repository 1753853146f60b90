import { describe, expect, test } from "vitest";
import { EVENT_NAMES, type EventName, eventRow } from "../core/event.ts";
import { HookFailure } from "../core/failure.ts";
import { toVerdict } from "./answer.ts";

const failure = (answer: unknown, event: EventName = "pre_tool_use"): HookFailure => {
  try {
    toVerdict(answer, event);
  } catch (error) {
    if (error instanceof HookFailure) return error;
  }
  throw new Error(`${JSON.stringify(answer)} was taken as an answer to ${event}`);
};

describe("an answer becomes a verdict", () => {
  test.each([
    ["nothing is no opinion", undefined, "pre_tool_use", { opinion: { kind: "none" } }],
    ["an empty object is no opinion", {}, "pre_tool_use", { opinion: { kind: "none" } }],
    ["block", { block: "no" }, "pre_tool_use", { opinion: { kind: "block", reason: "no" } }],
    [
      "a rule names what blocks",
      { block: "no", rule: "git/force" },
      "pre_tool_use",
      { opinion: { kind: "block", reason: "no", rule: "git/force" } },
    ],
    ["ask", { ask: "sure?" }, "pre_tool_use", { opinion: { kind: "ask", reason: "sure?" } }],
    ["allow without a reason", { allow: true }, "permission_request", { opinion: { kind: "allow" } }],
    ["allow with a reason", { allow: "known" }, "pre_tool_use", { opinion: { kind: "allow", reason: "known" } }],
    ["continue", { continue: "tests" }, "stop", { opinion: { kind: "continue", reason: "tests" } }],
    ["halt", { halt: "enough" }, "stop", { opinion: { kind: "halt", reason: "enough" } }],
    ["reinvoke", { reinvoke: "again" }, "after_attempt", { opinion: { kind: "reinvoke", prompt: "again" } }],
    ["one context", { context: "hi" }, "session_start", { opinion: { kind: "none" }, context: ["hi"] }],
    ["several contexts", { context: ["a", "b"] }, "stop", { opinion: { kind: "none" }, context: ["a", "b"] }],
    [
      "a rewrite beside an opinion",
      { rewrite: { command: "ls", gone: undefined }, ask: "ok?" },
      "pre_tool_use",
      { opinion: { kind: "ask", reason: "ok?" }, rewrite: { command: "ls" } },
    ],
    ["a rewritten output", { rewrite: "short" }, "post_tool_use", { opinion: { kind: "none" }, rewrite: "short" }],
    [
      "mutate beside block",
      { block: "no", mutate: { note: "n" } },
      "task_transition",
      { opinion: { kind: "block", reason: "no" }, mutate: { note: "n" } },
    ],
    [
      "a note is an effect, on any event",
      { note: { seen: 1 } },
      "session_end",
      { opinion: { kind: "none" }, effects: [{ type: "note", data: { seen: 1 } }] },
    ],
  ] as const)("%s", (_name, answer, event, verdict) => {
    expect(toVerdict(answer, event)).toEqual(verdict);
  });

  test("the verdict shares nothing with the author's object", () => {
    const input = { command: "ls" };
    const verdict = toVerdict({ rewrite: input }, "pre_tool_use");
    input.command = "rm -rf /";
    expect(verdict.rewrite).toEqual({ command: "ls" });
  });
});

describe("an answer that cannot be taken at its word is a failure", () => {
  test.each([
    [{ blok: "x" }, 'answered "blok", which is not an answer; did you mean block?'],
    [{ block: "x", contxt: "y" }, 'answered "contxt", which is not an answer; did you mean context?'],
    [{ deny: "x" }, "did you mean block?"],
    [{ accept: true }, "did you mean allow?"],
    [{ followUpPrompt: "x" }, "did you mean reinvoke?"],
    [{ zzzzzzzzzzz: 1 }, "use block, ask, allow, continue, halt, reinvoke, rule, rewrite, context, mutate, note"],
    [{ block: undefined }, "answered block: undefined"],
    [{ block: 1 }, "answered block with a number; it must be a string"],
    [{ allow: false }, "to refuse, answer { block"],
    [{ block: "a", ask: "b" }, "answered block and ask; a hook holds one opinion"],
    [{ block: "a", rewrite: {} }, "a refused call has nothing to rewrite"],
    [{ rule: "r" }, "rule without block or ask"],
    [{ context: 5 }, "a string or a list of strings"],
    [{ context: ["a", 5] }, "a string or a list of strings"],
    [{ rewrite: { f: () => 1 } }, "answered rewrite.f with a function; only JSON data can leave a hook"],
    [{ rewrite: { at: new Date(0) } }, "answered rewrite.at with an instance of Date"],
    [{ note: [1, [Number.NaN]] }, "answered note[1][0] with NaN"],
    [{ note: 1n }, "answered note with a bigint"],
    [5, "returned a number"],
    [null, "returned null"],
    ["block", "returned a string"],
    [[], "returned a list"],
    [() => {}, "returned a function"],
    [Promise.resolve(), "returned an instance of Promise"],
  ])("%o", (answer, message) => {
    const { code, message: said } = failure(answer);
    expect(code).toBe("invalid-answer");
    expect(said).toContain(message);
  });

  test("a value that contains itself", () => {
    const loop: { self?: unknown } = {};
    loop.self = loop;
    expect(failure({ note: loop }).message).toContain("note.self with a value that contains itself");
  });

  test("an event is only answered what its row in the table allows", () => {
    const samples = {
      allow: { allow: true },
      ask: { ask: "x" },
      block: { block: "x" },
      rewrite: { rewrite: {} },
      context: { context: "x" },
      continue: { continue: "x" },
      halt: { halt: "x" },
      reinvoke: { reinvoke: "x" },
      mutate: { mutate: {} },
    } as const;
    for (const event of EVENT_NAMES) {
      for (const [answer, sample] of Object.entries(samples)) {
        const allowed = eventRow(event).answers.some((known) => known === answer);
        if (allowed) expect(() => toVerdict(sample, event)).not.toThrow();
        else expect(failure(sample, event).message).toContain(`answered ${answer} to ${event}`);
      }
    }
  });
});
