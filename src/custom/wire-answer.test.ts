import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { EVENT_NAMES, type EventName } from "../core/event.ts";
import { HookFailure } from "../core/failure.ts";
import type { Json } from "../core/json.ts";
import { assertExpressible, NO_OPINION } from "../core/verdict.ts";
import { readAnswer } from "./wire-answer.ts";

const read = (event: EventName, answer: Json) => readAnswer(event, JSON.stringify(answer), "h");
const nested = (event: EventName, fields: { [key: string]: Json }) => ({
  hook_specific_output: { hook_event_name: event, ...fields },
});
const failure = (event: EventName, stdout: string): HookFailure => {
  try {
    readAnswer(event, stdout);
  } catch (error) {
    expect(error).toBeInstanceOf(HookFailure);
    expect((error as HookFailure).code).toBe("invalid-answer");
    return error as HookFailure;
  }
  throw new Error(`accepted: ${stdout}`);
};
const ignored = (event: EventName) => ({
  type: "notice",
  notice: { event_name: event, is_error: false, code: "control-ignored", hook: "h", message: expect.any(String) },
});

describe("an answer without content", () => {
  it.each(["", " ", "\n\t\r\n", "\ufeff"])("Q-29 is no opinion: %j", (stdout) => {
    for (const event of EVENT_NAMES) expect(readAnswer(event, stdout)).toBe(NO_OPINION);
  });

  it.each(["{}", " { }\n", '{"continue":true}'])("Q-30 is no opinion and no notice: %j", (stdout) => {
    for (const event of EVENT_NAMES) expect(readAnswer(event, stdout)).toEqual(NO_OPINION);
  });
});

describe("an answer that is not one", () => {
  it.each([
    ["checking...", "line 1, column 1"],
    ['checking...\n{"decision":"block"}', "line 1, column 1"],
    ['\n\n  oops {"decision":"block"}', "line 3, column 3"],
    ['{"decision":"block"}\ndone', "line 2, column 1"],
    ['{"decision":"block"} {}', "line 1, column 22"],
    ['{"decision":"block"', "line 1, column 20"],
    ["{'decision':'block'}", "line 1, column 2"],
    ['{"continue":true,"continue":true}', "twice at line 1, column 18"],
    ['{"decision":"block","decision":"approve"}', "twice"],
  ])("Q-31 Q-32 that is not one JSON object fails and says where: %j", (stdout, where) => {
    expect(failure("pre_tool_use", stdout).message).toContain(where);
  });

  it.each([
    ['[{"decision":"block"}]', "must be an object, not a list"],
    ['{"decision":"deny"}', "decision: must be one of approve, block"],
    ['{"decison":"block"}', 'decison: unknown field "decison" (is "decision" meant?)'],
    ['{"hookSpecificOutput":{}}', 'is "hook_specific_output" meant?'],
    ['{"hook_specific_output":{}}', 'hook_specific_output.hook_event_name: missing field "hook_event_name"'],
    ['{"hook_specific_output":{"hook_event_name":"pre_tool_use","x":1}}', "hook_specific_output.x: unknown field"],
    ['{"hook_specific_output":{"hook_event_name":"pre_tool_use","permission_decision":"no"}}', "permission_decision"],
    ['{"reason":7}', "reason: must be a string, not a number"],
  ])("Q-32 that does not fit the event's fields fails and names the field: %j", (stdout, what) => {
    expect(failure("pre_tool_use", stdout).message).toContain(what);
  });

  it("Q-32 a field that another event has is unknown here", () => {
    failure("session_start", '{"decision":"block"}');
    failure("delegation_start", '{"decision":"block"}');
    failure("user_prompt_submit", '{"decision":"approve"}');
    failure("permission_request", '{"decision":"block"}');
    failure("session_end", '{"hook_specific_output":{"hook_event_name":"session_end"}}');
    failure("after_exit", '{"action":"block"}');
  });

  it("Q-38 the nested name of another event is rejected, on every event that has one", () => {
    for (const event of EVENT_NAMES) {
      const other = event === "stop" ? "pre_tool_use" : "stop";
      failure(event, JSON.stringify({ hook_specific_output: { hook_event_name: other } }));
    }
    failure("post_delegation", JSON.stringify(nested("delegation_failure", {})));
  });

  it("Q-33 its message quotes at most 160 characters on one line", () => {
    const { message } = failure("stop", `first\r\nsecond\n${"y".repeat(500)}`);
    expect(message).not.toMatch(/[\r\n]/);
    const quoted = /stdout was "(.*)\.\.\."$/s.exec(message)?.[1] as string;
    expect(quoted).toHaveLength(160);
    expect(quoted).toMatch(/^first\\r\\nsecond\\ny+$/);
  });

  it("Q-33 its message stays short and printable when keys and values are long or control a terminal", () => {
    for (const answer of [{ ["k".repeat(9999)]: 1 }, { decision: "v".repeat(9999) }, { "\u001b[2J\n": 1 }]) {
      const { message } = failure("stop", JSON.stringify(answer));
      expect(message.length).toBeLessThan(600);
      expect(message).not.toMatch(/\p{Cc}/u);
    }
  });

  it("Q-33 quotes a short stdout whole", () => {
    expect(failure("stop", "oops").message).toMatch(/stdout was "oops"$/);
  });
});

describe("null", () => {
  it("Q-35 is accepted for every optional field", () => {
    const answer = { stop_reason: null, system_message: null, decision: null, reason: null };
    expect(read("pre_tool_use", { ...answer, hook_specific_output: null })).toEqual(NO_OPINION);
    const inner = { permission_decision: null, permission_decision_reason: null, updated_input: null };
    expect(read("pre_tool_use", nested("pre_tool_use", { ...inner, additional_context: null }))).toEqual(NO_OPINION);
    expect(read("stop", { go_on: null, halt: null, decision: null })).toEqual(NO_OPINION);
    expect(read("permission_request", nested("permission_request", { decision: null }))).toEqual(NO_OPINION);
    expect(read("pre_delegation", nested("pre_delegation", { updated_delegation: null }))).toEqual(NO_OPINION);
    expect(read("prepare", { action: null, follow_up_prompt: null, reason: null, mutate: null })).toEqual(NO_OPINION);
    expect(read("task_transition", { accept: null })).toEqual(NO_OPINION);
  });

  it("Q-35 is not accepted for continue, nor for a field that must be there", () => {
    for (const event of EVENT_NAMES) failure(event, '{"continue":null}');
    failure("stop", '{"hook_specific_output":{"hook_event_name":null}}');
    failure("permission_request", JSON.stringify(nested("permission_request", { decision: { behavior: null } })));
  });
});

describe("block", () => {
  it.each(["user_prompt_submit", "pre_tool_use", "post_tool_use", "pre_compaction", "pre_delegation"] as const)(
    "decision block blocks %s with its reason",
    (event) => {
      expect(read(event, { decision: "block", reason: "No." })).toEqual({ opinion: { kind: "block", reason: "No." } });
    },
  );

  it("Q-53 without a reason it leaves the engine to say which hook blocked, or uses the predecessor's words", () => {
    const reason = (event: EventName) => read(event, { decision: "block", reason: " " }).opinion;
    expect(reason("pre_tool_use")).toEqual({ kind: "block", reason: "" });
    expect(reason("pre_compaction")).toEqual({ kind: "block", reason: "compaction blocked by hook" });
    expect(reason("pre_delegation")).toEqual({ kind: "block", reason: "delegation blocked by hook" });
    expect(reason("stop")).toEqual({ kind: "continue", reason: "continue requested by stop hook" });
  });

  it("Q-54 permission_decision deny is a block with its own reason, or the outer one where it has none", () => {
    const deny = { permission_decision: "deny" };
    const why = { permission_decision_reason: "inner" };
    const opinion = (answer: Json) => read("pre_tool_use", answer).opinion;
    expect(opinion(nested("pre_tool_use", { ...deny, ...why }))).toEqual({ kind: "block", reason: "inner" });
    expect(opinion({ reason: "outer", ...nested("pre_tool_use", { ...deny, ...why }) })).toMatchObject({
      reason: "inner",
    });
    expect(opinion({ decision: "block", reason: "outer", ...nested("pre_tool_use", deny) })).toEqual({
      kind: "block",
      reason: "outer",
    });
  });

  it("wins over an allow or ask in the same answer, with its own reason", () => {
    const inner = (decision: string) =>
      nested("pre_tool_use", { permission_decision: decision, permission_decision_reason: "inner" });
    const opinion = (answer: Json) => read("pre_tool_use", answer).opinion;
    expect(opinion({ decision: "block", reason: "outer", ...inner("allow") })).toEqual({
      kind: "block",
      reason: "outer",
    });
    expect(opinion({ decision: "block", ...inner("allow") })).toEqual({ kind: "block", reason: "" });
    expect(opinion({ decision: "block", ...inner("ask") })).toEqual({ kind: "block", reason: "inner" });
    expect(opinion({ decision: "approve", ...inner("deny") })).toEqual({ kind: "block", reason: "inner" });
  });

  it("Q-58 makes the rewrite beside it moot and keeps the context", () => {
    const rewrite = { updated_input: { command: "ls" }, additional_context: "Read the policy." };
    expect(read("pre_tool_use", { decision: "block", reason: "No.", ...nested("pre_tool_use", rewrite) })).toEqual({
      opinion: { kind: "block", reason: "No." },
      context: ["Read the policy."],
    });
  });
});

describe("the other answers", () => {
  it("Q-55 permission_decision ask asks", () => {
    const ask = nested("pre_tool_use", { permission_decision: "ask" });
    expect(read("pre_tool_use", ask).opinion).toEqual({ kind: "ask", reason: "hook requested confirmation" });
    expect(read("pre_tool_use", { decision: "approve", reason: "Sure?", ...ask }).opinion).toEqual({
      kind: "ask",
      reason: "Sure?",
    });
  });

  it("Q-56 approve and permission_decision allow allow", () => {
    expect(read("pre_tool_use", { decision: "approve" }).opinion).toEqual({ kind: "allow" });
    const allow = nested("pre_tool_use", { permission_decision: "allow", permission_decision_reason: "read only" });
    expect(read("pre_tool_use", allow).opinion).toEqual({ kind: "allow", reason: "read only" });
  });

  it("Q-57 updated_input rewrites the call; anything but null is a rewrite", () => {
    const rewritten = (value: Json) => read("pre_tool_use", nested("pre_tool_use", { updated_input: value })).rewrite;
    expect(rewritten({ command: "ls" })).toEqual({ command: "ls" });
    for (const value of [0, false, "", []]) expect(rewritten(value)).toEqual(value);
    expect(rewritten(null)).toBeUndefined();
  });

  it("updated_output rewrites what the tool returned", () => {
    expect(read("post_tool_use", nested("post_tool_use", { updated_output: "[redacted]" }))).toEqual({
      opinion: { kind: "none" },
      rewrite: "[redacted]",
    });
  });

  it("Q-89 updated_delegation rewrites fields of the request, and only those it has", () => {
    const partial = nested("pre_delegation", { updated_delegation: { objective: "less", context: null } });
    expect(read("pre_delegation", partial).rewrite).toEqual({ objective: "less", context: null });
    failure("pre_delegation", JSON.stringify(nested("pre_delegation", { updated_delegation: { agent: "x" } })));
  });

  it("Q-64 Q-65 a permission request is allowed or denied, with the message", () => {
    const decide = (decision: Json) => read("permission_request", nested("permission_request", { decision })).opinion;
    expect(decide({ behavior: "allow" })).toEqual({ kind: "allow" });
    expect(decide({ behavior: "deny", message: "Not on Friday." })).toEqual({
      kind: "block",
      reason: "Not on Friday.",
    });
  });

  it("Q-106 any other behavior is rejected", () => {
    failure("permission_request", JSON.stringify(nested("permission_request", { decision: { behavior: "ask" } })));
    failure("permission_request", JSON.stringify(nested("permission_request", { decision: {} })));
  });

  it("additional_context is a text for the model, unless it is blank", () => {
    expect(read("session_start", nested("session_start", { additional_context: "Use pnpm." }))).toEqual({
      opinion: { kind: "none" },
      context: ["Use pnpm."],
    });
    expect(read("session_start", nested("session_start", { additional_context: "  " }))).toEqual(NO_OPINION);
  });

  it("system_message is shown to the person on every event", () => {
    for (const event of EVENT_NAMES) {
      expect(read(event, { system_message: "Hello" }).effects).toEqual([
        {
          type: "notice",
          notice: { event_name: event, message: "Hello", is_error: false, code: "message", hook: "h" },
        },
      ]);
    }
  });

  it("Q-48 Q-94 continue: false and stop_reason control nothing but stop, and leave one note that is no error", () => {
    for (const event of EVENT_NAMES.filter((name) => name !== "stop")) {
      for (const answer of [
        { continue: false },
        { stop_reason: "enough" },
        { continue: false, stop_reason: "enough" },
      ]) {
        expect(read(event, answer)).toEqual({ opinion: { kind: "none" }, effects: [ignored(event)] });
      }
    }
  });
});

describe("stop", () => {
  it.each([{ continue: false }, { decision: "block" }, { go_on: true }])(
    "Q-74 Q-75 %j asks for another step",
    (answer) => {
      expect(read("stop", { ...answer, reason: "Run the tests." })).toEqual({
        opinion: { kind: "continue", reason: "Run the tests." },
      });
      expect(read("stop", { ...answer, stop_reason: "first", reason: "second" }).opinion).toMatchObject({
        reason: "first",
      });
      expect(read("stop", answer).opinion).toMatchObject({ reason: "continue requested by stop hook" });
    },
  );

  it("halt: true ends the agent's work, and says which meaning a continue: false beside it has", () => {
    expect(read("stop", { halt: true, stop_reason: "Over budget." }).opinion).toEqual({
      kind: "halt",
      reason: "Over budget.",
    });
    expect(read("stop", { halt: true, continue: false }).opinion).toMatchObject({ kind: "halt" });
  });

  it("false in go_on and halt asks for nothing", () => {
    expect(read("stop", { go_on: false, halt: false })).toEqual(NO_OPINION);
  });

  it("halt contradicts go_on and block", () => {
    expect(failure("stop", '{"go_on":true,"halt":true}').message).toContain("go_on and halt contradict each other");
    failure("stop", '{"decision":"block","halt":true}');
    expect(read("stop", { go_on: false, halt: true }).opinion).toMatchObject({ kind: "halt" });
  });
});

describe("runs and tasks", () => {
  it.each(["prepare", "before_attempt", "after_attempt"] as const)("%s continues, reinvokes or blocks", (event) => {
    expect(read(event, { action: "continue", mutate: { note: "n" } })).toEqual({
      opinion: { kind: "none" },
      mutate: { note: "n" },
    });
    expect(read(event, { action: "reinvoke", follow_up_prompt: "Again." }).opinion).toEqual({
      kind: "reinvoke",
      prompt: "Again.",
    });
    expect(read(event, { action: "block", reason: "Dirty tree." }).opinion).toEqual({
      kind: "block",
      reason: "Dirty tree.",
    });
  });

  it("after_exit only changes the run", () => {
    expect(read("after_exit", { action: "continue", mutate: { pinned: true } }).mutate).toEqual({ pinned: true });
  });

  it("a task edit is accepted or rejected, and the run is changed either way", () => {
    expect(read("task_transition", { accept: true })).toEqual({ opinion: { kind: "allow" } });
    expect(read("task_transition", { accept: false, reason: "No tests.", mutate: { note: "n" } })).toEqual({
      opinion: { kind: "block", reason: "No tests." },
      mutate: { note: "n" },
    });
    failure("task_transition", '{"accept":false,"mutate":[]}');
  });
});

describe("any text at all", () => {
  const stdout = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.json(),
    fc.string().map((text) => `{${text}}`),
    fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes).toString("utf8")),
  );

  it("Q-28 gives a verdict its event can express, or one failure: nothing else is ever thrown", () => {
    fc.assert(
      fc.property(fc.constantFrom(...EVENT_NAMES), stdout, (event, text) => {
        try {
          assertExpressible(readAnswer(event, text), event);
        } catch (error) {
          expect(error).toBeInstanceOf(HookFailure);
          expect((error as HookFailure).code).toBe("invalid-answer");
        }
      }),
      { numRuns: 3000 },
    );
  });

  it("W20 a mebibyte of brackets is a failure, not a crash", () => {
    for (const text of ["[".repeat(2 ** 20), '{"a":'.repeat(2 ** 17), "{".repeat(2 ** 20)]) failure("stop", text);
  });
});
