import { expect, it } from "vitest";
import type { AgentEvent } from "../core/event.ts";
import type { JsonObject } from "../core/json.ts";
import { NO_OPINION, type Verdict } from "../core/verdict.ts";
import type { BuiltinHook } from "../hooks/builtin.ts";
import { before, machine, toolCall } from "../hooks/hooks.fixture.ts";
import { newMoment } from "./moment.ts";
import { SameQuestions } from "./same-question.ts";

let asked = 0;
const builtin = (name: string, judge: () => Verdict | Promise<Verdict> = () => NO_OPINION): BuiltinHook => ({
  name,
  doc: "",
  on: ["pre_tool_use"],
  answers: [],
  guards: true,
  onError: "block",
  priority: 0,
  options: {},
  defaults: {},
  judge() {
    asked += 1;
    return judge();
  },
});

/** How often the hook is really asked, where each of these options is a hook of its own. */
function askedOf(hook: BuiltinHook, options: readonly JsonObject[], events: readonly (AgentEvent | "later")[]): number {
  asked = 0;
  const questions = new SameQuestions(machine, [...options.map(() => hook.name), "another"]);
  const judges = options.map((each) => questions.judgeOf(hook, each));
  const context = { now: new Date(0), options: {}, signal: new AbortController().signal };
  for (const event of events) {
    if (event === "later") newMoment();
    else for (const judge of judges) judge(event, context);
  }
  return asked;
}

const read = () => before(toolCall("read", { paths: ["a"] }));

it("hooks with the same options are asked once about an event, and all get the answer", async () => {
  expect(askedOf(builtin("guard"), [{ write: ["a"] }, { write: ["a"] }, { write: ["a"] }], [read()])).toBe(1);
  expect(askedOf(builtin("guard"), [{ write: ["a"] }, { write: ["b"] }], [read()])).toBe(2);
  const verdict: Verdict = { opinion: { kind: "block", reason: "no" } };
  const questions = new SameQuestions(machine, ["guard", "guard"]);
  const context = { now: new Date(0), options: {}, signal: new AbortController().signal };
  const event = read();
  const guard = builtin("guard", () => verdict);
  for (const judge of [questions.judgeOf(guard, {}), questions.judgeOf(guard, {})])
    expect(await judge(event, context)).toBe(verdict);
});

it("another event, the same one as somebody rewrote it, and the same one later are new questions", () => {
  const event = read();
  expect(askedOf(builtin("guard"), [{}, {}], [event, { ...event }, event])).toBe(3);
  expect(askedOf(builtin("guard"), [{}, {}], [event, "later", event])).toBe(2);
});

it("a hook that stands alone is asked each time, as is one that answers later or fails", () => {
  const event = read();
  expect(askedOf(builtin("guard"), [{}], [event, event])).toBe(2);
  expect(
    askedOf(
      builtin("guard", async () => NO_OPINION),
      [{}, {}],
      [event],
    ),
  ).toBe(2);
  const broken = builtin("guard", () => {
    throw new Error("broken");
  });
  const questions = new SameQuestions(machine, ["guard", "guard"]);
  const context = { now: new Date(0), options: {}, signal: new AbortController().signal };
  asked = 0;
  for (const judge of [questions.judgeOf(broken, {}), questions.judgeOf(broken, {})])
    expect(() => judge(event, context)).toThrow("broken");
  expect(asked).toBe(2);
});
