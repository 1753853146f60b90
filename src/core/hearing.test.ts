import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Decision } from "./decision.ts";
import { allow, ask, block, hook, options, rewriteTo, sampleEvent, shellCall } from "./engine.fixture.ts";
import { decide } from "./engine.ts";
import type { AgentEvent, EventOf } from "./event.ts";
import { HookFailure } from "./failure.ts";
import { verdictOf } from "./hearing.ts";
import type { Hook, HookTold, Member, Panel } from "./hook.ts";
import { NO_OPINION, type Verdict } from "./verdict.ts";

const call = (command = "ls") => sampleEvent("pre_tool_use", { tool: shellCall(command) });
const commandOf = (event: AgentEvent) => (event as EventOf<"pre_tool_use", "shell">).tool.command;

type Judge = (event: AgentEvent) => Verdict;

/** Answers as its hooks do, never for more than `most` at a time; `questions`: how many were asked each time. */
function testPanel(most: number, isLater: boolean): { join(hook: Hook, judge: Judge): Hook; questions: number[] } {
  const judges = new Map<Member, Judge>();
  const questions: number[] = [];
  const panel: Panel = {
    hear(members, event) {
      questions.push(members.length);
      const told: HookTold[] = [];
      for (const member of members.slice(0, most)) {
        const one = toldBy(judges.get(member) as Judge, event);
        told.push(one);
        if ("verdict" in one && one.verdict.rewrite !== undefined) break;
      }
      return isLater ? Promise.resolve(told) : told;
    },
  };
  return {
    questions,
    join(joining, judge) {
      const member: Member = { panel };
      judges.set(member, judge);
      return { ...joining, member };
    },
  };
}

function toldBy(judge: Judge, event: AgentEvent): HookTold {
  try {
    return { verdict: judge(event), ms: 0 };
  } catch (error) {
    return { failure: error as HookFailure, ms: 0 };
  }
}

const judges: fc.Arbitrary<Judge> = fc.oneof(
  fc.constantFrom<Judge>(
    () => NO_OPINION,
    () => allow,
    () => ask("sure?"),
    (event) => (commandOf(event).includes("b") ? block("no b") : NO_OPINION),
    (event) => rewriteTo(`${commandOf(event)}b`),
    () => rewriteTo("safe"),
    () => ({ opinion: { kind: "continue", reason: "not here" } }),
    () => {
      throw new HookFailure("crash", "boom");
    },
  ),
);

const members = fc.array(
  fc.record({
    judge: judges,
    isMember: fc.boolean(),
    observed: fc.boolean(),
    onlyFor: fc.option(fc.constantFrom("ls", "safe"), { nil: undefined }),
  }),
  { maxLength: 8 },
);

const plain = (decision: Decision) => JSON.parse(JSON.stringify(decision)) as unknown;

describe("hooks of one panel", () => {
  it("decide as if each were asked by itself, however many are asked at a time", async () => {
    await fc.assert(
      fc.asyncProperty(members, fc.integer({ min: 1, max: 9 }), fc.boolean(), async (list, most, isLater) => {
        const { join } = testPanel(most, isLater);
        const alone = list.map(({ judge, observed, onlyFor }, index) =>
          hook(`hook ${index}`, judge, {
            ...(observed ? { mode: "observe" as const } : {}),
            ...(onlyFor ? { when: { command: { source: onlyFor, test: (value) => value === onlyFor } } } : {}),
          }),
        );
        const together = alone.map((one, index) => {
          const { isMember, judge } = list[index] as (typeof list)[number];
          return isMember ? join(one, judge) : one;
        });
        expect(plain(await decide(call(), together, options()))).toEqual(plain(await decide(call(), alone, options())));
      }),
    );
  });

  it("are asked with one question, also across hooks that do not match", async () => {
    const { join, questions } = testPanel(9, false);
    const silent: Judge = () => NO_OPINION;
    const never = { when: { command: { source: "never", test: () => false } } };
    const hooks = [join(hook("a", silent), silent), hook("other", silent, never), join(hook("b", silent), silent)];
    await decide(call(), hooks, options());
    expect(questions).toEqual([2]);
  });

  it("are not asked together where another's turn is between them", async () => {
    const { join, questions } = testPanel(9, false);
    const silent: Judge = () => NO_OPINION;
    const one = (name: string) => join(hook(name, silent), silent);
    await decide(call(), [one("a"), one("b"), hook("other", silent), one("c"), one("d")], options());
    expect(questions).toEqual([2, 2]);
  });

  it("are shown to whoever watches in their order, however many questions it takes", async () => {
    await fc.assert(
      fc.asyncProperty(members, fc.integer({ min: 1, max: 9 }), async (list, most) => {
        const { join } = testPanel(most, false);
        const hooks = list.map(({ judge, isMember }, index) =>
          isMember ? join(hook(`hook ${index}`, judge), judge) : hook(`hook ${index}`, judge),
        );
        const shown: string[] = [];
        await decide(call(), hooks, options({ onAsk: ({ name }) => shown.push(name) }));
        expect([...new Set(shown)]).toEqual(hooks.map(({ name }) => name));
      }),
    );
  });

  it("fail closed, each of them, where their panel does", async () => {
    const panel: Panel = { hear: () => Promise.reject(new Error("gone")) };
    const broken = () => Promise.reject(new Error("gone"));
    const hooks = ["a", "b"].map((name) => hook(name, broken, { member: { panel } }));
    const { kind, trace } = await decide(call(), hooks, options());
    expect(kind).toBe("block");
    expect(trace.map(({ failure }) => failure?.code)).toEqual(["crash", "crash"]);
  });
});

it("a hook that is asked alone and gets no answer has failed, in words that hold for whoever was to answer", () => {
  expect(() => verdictOf([])).toThrow(new HookFailure("crash", "it was asked, and no answer came"));
});
