import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { allow, ask, block, hook, options, rewriteTo, sampleEvent, shellCall } from "./engine.fixture.ts";
import { decide } from "./engine.ts";
import { EVENT_NAMES, type EventOf } from "./event.ts";
import { HookFailure } from "./failure.ts";
import type { Hook } from "./hook.ts";
import { NO_OPINION, STRENGTH, type Verdict } from "./verdict.ts";

const call = (command = "ls") => sampleEvent("pre_tool_use", { tool: shellCall(command) });
const commandOf = (event: unknown) => (event as EventOf<"pre_tool_use", "shell">).tool.command;

const verdicts = fc.oneof(
  fc.constant(NO_OPINION),
  fc.constant(allow),
  fc.string({ minLength: 1 }).map(ask),
  fc.string({ minLength: 1 }).map(block),
);
const crash: Hook["judge"] = () => {
  throw new Error("boom");
};

describe("law 1: order is visible", () => {
  it("hooks run by layer, then priority, then as written", async () => {
    const hooks = [
      hook("local", NO_OPINION, { layer: "local" }),
      hook("project-late", NO_OPINION, { priority: 200 }),
      hook("project-early", NO_OPINION, { priority: -1 }),
      hook("project-b", NO_OPINION),
      hook("project-c", NO_OPINION),
      hook("managed", NO_OPINION, { layer: "managed" }),
      hook("builtin", NO_OPINION, { layer: "builtin" }),
      hook("user", NO_OPINION, { layer: "user" }),
    ];
    const { trace } = await decide(call(), hooks, options());
    expect(trace.map((step) => step.hook)).toEqual([
      "builtin",
      "managed",
      "user",
      "project-early",
      "project-b",
      "project-c",
      "project-late",
      "local",
    ]);
  });
});

describe("law 2: a verdict is about what will run", () => {
  it("rewrites chain: each hook sees the input as rewritten so far", async () => {
    const seen: string[] = [];
    const append = (text: string) =>
      hook(`append ${text}`, (event) => {
        seen.push(commandOf(event));
        return rewriteTo(`${commandOf(event)}${text}`);
      });
    const decision = await decide(call("a"), [append("b"), append("c")], options());
    expect(seen.slice(0, 2)).toEqual(["a", "ab"]);
    expect(decision.rewrite).toEqual({ command: "abc" });
    expect(commandOf(decision.final)).toBe("abc");
  });

  it("a hook that judged an input which a later hook changed is asked again on the final one", async () => {
    const guard = hook("guard", (event) => (commandOf(event).includes("danger") ? block("danger") : NO_OPINION));
    const decision = await decide(call("ls"), [guard, hook("rewriter", rewriteTo("danger"))], options());
    expect(decision.kind).toBe("block");
    expect(decision.trace[0]).toMatchObject({ hook: "guard", askedAgain: true });
  });

  it("a block of an input that is no longer what runs is lifted", async () => {
    const guard = hook("guard", (event) => (commandOf(event) === "danger" ? block("danger") : NO_OPINION));
    const decision = await decide(call("danger"), [guard, hook("rewriter", rewriteTo("safe"))], options());
    expect(decision.kind).toBe("none");
    expect(decision.rewrite).toEqual({ command: "safe" });
  });

  it("a rewrite can bring a call under a matcher that did not match before", async () => {
    const matcher = { source: "Deploy", test: (name: string) => name === "Deploy" };
    const guard = hook("guard", block("no deploys"), { when: { matcher } });
    const tools = {
      read: (_name: string, input: object) => ({
        ...shellCall("x"),
        name: "Deploy",
        input: input as { command: string },
      }),
    };
    const decision = await decide(call(), [guard, hook("rewriter", rewriteTo("x"))], options({ tools }));
    expect(decision.kind).toBe("block");
  });

  it("Q-43 two hooks that disagree on the rewrite: the later one's is taken and the earlier one is reported", async () => {
    const decision = await decide(
      call("x"),
      [hook("first", rewriteTo("a")), hook("second", rewriteTo("b"))],
      options(),
    );
    expect(decision.rewrite).toEqual({ command: "b" });
    expect(decision.effects).toContainEqual(
      expect.objectContaining({ notice: expect.objectContaining({ code: "rewrite-overruled", hook: "first" }) }),
    );
  });

  it("a rewriting hook that is asked again keeps what it told the model of its rewrite", async () => {
    const once = hook("once", (event) =>
      commandOf(event) === "a"
        ? { ...rewriteTo("b"), context: ["made it b"], effects: [{ type: "note", data: "b" }] }
        : NO_OPINION,
    );
    const decision = await decide(call("a"), [once, hook("later", rewriteTo("c"))], options());
    expect(decision.context).toEqual([{ hook: "once", text: "made it b" }]);
    expect(decision.effects).toContainEqual({ type: "note", data: "b" });
  });

  it.each([
    ["a scalar", 5],
    ["an object without the command", { other: 1 }],
    ["an empty command", { command: "" }],
  ])("a rewrite to %s is a failure of the hook and never what runs", async (_, rewrite) => {
    const decision = await decide(call("ls"), [hook("rewriter", { ...NO_OPINION, rewrite })], options());
    expect(decision.kind).toBe("block");
    expect(decision.rewrite).toBeUndefined();
    expect(commandOf(decision.final)).toBe("ls");
  });

  it("Q-59 W8 a rewrite is validated against the tool's schema where one is known", async () => {
    const tools = { ...options().tools, problem: () => "timeout must be a number" };
    const decision = await decide(
      call("ls"),
      [hook("rewriter", rewriteTo("x"), { onError: "continue" })],
      options({ tools }),
    );
    expect(decision.kind).toBe("none");
    expect(commandOf(decision.final)).toBe("ls");
    expect(decision.trace[0]?.failure?.message).toContain("timeout must be a number");
  });

  it("whatever hooks rewrite, every guard's last opinion is about the final input", async () => {
    const words = fc.constantFrom("a", "b", "danger", "safe");
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ to: words, guard: fc.boolean() }), { maxLength: 6 }),
        words,
        async (plan, start) => {
          const hooks = plan.map(({ to, guard }, index) =>
            guard
              ? hook(`guard-${index}`, (event) => (commandOf(event) === "danger" ? block("danger") : NO_OPINION))
              : hook(`rewriter-${index}`, rewriteTo(to)),
          );
          const decision = await decide(call(start), hooks, options());
          const lastRewrite = plan.filter(({ guard }) => !guard).at(-1)?.to ?? start;
          expect(commandOf(decision.final)).toBe(lastRewrite);
          const guarded = plan.some(({ guard }) => guard) && lastRewrite === "danger";
          expect(decision.kind).toBe(guarded ? "block" : "none");
        },
      ),
    );
  });
});

describe("law 3: the strongest verdict wins, whatever the order", () => {
  it("the decision does not depend on the order of hooks", async () => {
    const shuffled = fc
      .array(verdicts, { maxLength: 8 })
      .chain((list) => fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length })));
    await fc.assert(
      fc.asyncProperty(shuffled, async ([written, other]) => {
        const decideAll = (list: readonly Verdict[]) =>
          decide(
            call(),
            list.map((verdict, index) => hook(`h${index}`, verdict)),
            options(),
          );
        const [one, two] = [await decideAll(written), await decideAll(other)];
        expect(one.kind).toBe(two.kind);
        expect(new Set(one.reasons.map(({ text }) => text.replace(/h\d/, "")))).toEqual(
          new Set(two.reasons.map(({ text }) => text.replace(/h\d/, ""))),
        );
      }),
    );
  });

  it("the strongest of all verdicts is the decision", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(verdicts, { minLength: 1, maxLength: 8 }), async (list) => {
        const { kind } = await decide(
          call(),
          list.map((verdict, index) => hook(`h${index}`, verdict)),
          options(),
        );
        const strongest = Math.max(...list.map(({ opinion }) => STRENGTH.indexOf(opinion.kind)));
        expect(STRENGTH.indexOf(kind)).toBe(strongest);
      }),
    );
  });

  it("allow never overrules a guard", async () => {
    expect((await decide(call(), [hook("a", allow), hook("b", block("no"))], options())).kind).toBe("block");
  });

  it("Q-40 all matching guards judge, and the answer names every reason, the first in order leading", async () => {
    const { reasons } = await decide(
      call(),
      [hook("a", block("one")), hook("b", NO_OPINION), hook("c", block("two"))],
      options(),
    );
    expect(reasons).toEqual([
      { hook: "a", text: "one" },
      { hook: "c", text: "two" },
    ]);
  });

  it("nobody is asked about a call that another hook blocks", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(verdicts, { maxLength: 6 }), fc.nat(6), async (list, at) => {
        const hooks = list.map((verdict, index) => hook(`h${index}`, verdict));
        hooks.splice(at, 0, hook("blocker", block("no")));
        const decision = await decide(call(), hooks, options());
        expect(decision.kind).toBe("block");
        expect(decision.reasons.every(({ text }) => text !== "")).toBe(true);
      }),
    );
  });

  it("run and task events are procedures: the first block ends the phase and later hooks are not asked", async () => {
    const on = ["before_attempt"] as const;
    const hooks = [
      hook("first", { opinion: { kind: "none" }, mutate: { note: "kept" } }, { on }),
      hook("second", block("stop"), { on }),
      hook("third", { opinion: { kind: "none" }, mutate: { note: "never" } }, { on }),
    ];
    const decision = await decide(sampleEvent("before_attempt"), hooks, options());
    expect(decision.kind).toBe("block");
    expect(decision.mutate).toEqual([{ note: "kept" }]);
    expect(decision.trace[2]?.skipped).toBe("the phase has ended");
  });

  it("Q-53 a block without a reason gets one that names the hook", async () => {
    expect((await decide(call(), [hook("guard-1", block(" "))], options())).reasons[0]?.text).toBe(
      "blocked by hook guard-1",
    );
  });
});

describe("law 4: failure is a declared choice", () => {
  it("a failing guard blocks and says so; failing advice is left out and says so", async () => {
    const closed = await decide(call(), [hook("guard", crash)], options());
    expect(closed.kind).toBe("block");
    expect(closed.reasons[0]?.text).toContain("boom");
    const open = await decide(call(), [hook("advice", crash, { onError: "continue" })], options());
    expect(open.kind).toBe("none");
    for (const { effects } of [closed, open]) {
      expect(effects).toHaveLength(1);
      expect(effects[0]).toMatchObject({
        type: "notice",
        notice: { is_error: true, code: "crash", event_name: "pre_tool_use" },
      });
    }
  });

  it("Q-45 W6 one hook's failure never erases another's block", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom<Verdict | "crash">(NO_OPINION, allow, "crash"), { maxLength: 6 }),
        fc.nat(6),
        async (list, at) => {
          const hooks = list.map((verdict, index) =>
            hook(`h${index}`, verdict === "crash" ? crash : verdict, { onError: "continue" }),
          );
          hooks.splice(at, 0, hook("guard", block("the reason")));
          const decision = await decide(call(), hooks, options());
          expect(decision.kind).toBe("block");
          expect(decision.reasons).toEqual([{ hook: "guard", text: "the reason" }]);
        },
      ),
    );
  });

  it("W1 X-2 an answer the event cannot express is a failure, not ignored", async () => {
    const on = ["session_start"] as const;
    const { trace, kind } = await decide(sampleEvent("session_start"), [hook("h", block("no"), { on })], options());
    expect(kind).toBe("none");
    expect(trace[0]?.failure?.message).toBe("answered block to session_start; it can answer context");
  });

  it("a rejected promise and a thrown non-error are failures too", async () => {
    const rejecting = hook("h", () => Promise.reject("just text"));
    expect((await decide(call(), [rejecting], options())).trace[0]?.failure).toEqual({
      code: "crash",
      message: "just text",
    });
    const typed = hook("h", () => Promise.reject(new HookFailure("timeout", "timed out after 5 s")));
    expect((await decide(call(), [typed], options())).trace[0]?.failure?.code).toBe("timeout");
  });

  it("an observed hook is judged and recorded but decides nothing", async () => {
    const decision = await decide(
      call(),
      [hook("h", { ...block("no"), rewrite: { command: "x" } }, { mode: "observe" })],
      options(),
    );
    expect(decision.kind).toBe("none");
    expect(decision.rewrite).toBeUndefined();
    expect(decision.trace[0]).toMatchObject({ observed: true, opinion: { kind: "block" } });
  });
});

describe("law 5: context has a budget", () => {
  const telling = (name: string, ...context: string[]) => hook(name, { ...NO_OPINION, context });

  it("Q-42 all context is kept in order", async () => {
    const { context } = await decide(call(), [telling("a", "one", "two"), telling("b", "three")], options());
    expect(context).toEqual([
      { hook: "a", text: "one" },
      { hook: "a", text: "two" },
      { hook: "b", text: "three" },
    ]);
  });

  it("X-18 what was said already, now or earlier in the session, is not said again", async () => {
    const told = (text: string) => text === "old";
    const { context } = await decide(
      call(),
      [telling("a", "new", "old"), telling("b", " new ")],
      options({ context: { maxCharacters: 99, told } }),
    );
    expect(context.map(({ text }) => text)).toEqual(["new"]);
  });

  it("X-18 what does not fit is cut and counted", async () => {
    const budget = { maxCharacters: 5, told: () => false };
    const { context } = await decide(
      call(),
      [telling("a", "1234567"), telling("b", "more")],
      options({ context: budget }),
    );
    expect(context.map(({ text }) => text)).toEqual(["12345", "(6 characters of hook context were left out)"]);
  });
});

describe("stop", () => {
  const goOn = hook("verifier", { opinion: { kind: "continue", reason: "run the tests" } }, { on: ["stop"] });

  it("Q-74 a hook may ask for one more step", async () => {
    expect(await decide(sampleEvent("stop"), [goOn], options())).toMatchObject({
      kind: "continue",
      reasons: [{ text: "run the tests" }],
    });
  });

  it("Q-77 a second request in the same turn is refused with a notice", async () => {
    const decision = await decide(sampleEvent("stop", { continuations: 1 }), [goOn], options());
    expect(decision.kind).toBe("none");
    expect(decision.effects).toContainEqual(
      expect.objectContaining({ notice: expect.objectContaining({ code: "continuation-limit" }) }),
    );
  });

  it("halt beats continue", async () => {
    const halt = hook("halt", { opinion: { kind: "halt", reason: "enough" } }, { on: ["stop"] });
    expect((await decide(sampleEvent("stop"), [goOn, halt], options())).kind).toBe("halt");
  });
});

it("Q-12 whoever watches is told of each hook as it is asked, with its status message", async () => {
  const asked: (string | undefined)[] = [];
  const onAsk = ({ statusMessage }: Hook) => asked.push(statusMessage);
  await decide(
    call(),
    [hook("a", NO_OPINION, { statusMessage: "Checking" }), hook("b", NO_OPINION)],
    options({ onAsk }),
  );
  expect(asked).toEqual(["Checking", undefined]);
});

describe("law 9: same input, same answer", () => {
  it("the same event and hooks give the same bytes", async () => {
    const arbitrary = fc.array(
      fc.oneof(
        verdicts,
        fc.string({ minLength: 1 }).map(rewriteTo),
        fc.string().map((text) => ({ ...NO_OPINION, context: [text] })),
      ),
      { maxLength: 6 },
    );
    await fc.assert(
      fc.asyncProperty(arbitrary, fc.string({ minLength: 1 }), async (list, command) => {
        const run = async () =>
          JSON.stringify(
            await decide(
              call(command),
              list.map((verdict, index) => hook(`h${index}`, verdict)),
              options(),
            ),
          );
        expect(await run()).toBe(await run());
      }),
    );
  });

  it("neither the event nor a hook's verdict is changed by deciding", async () => {
    const event = call("ls");
    const before = JSON.stringify(event);
    await decide(event, [hook("a", rewriteTo("x")), hook("b", rewriteTo("y"))], options());
    expect(JSON.stringify(event)).toBe(before);
  });
});

describe("every event", () => {
  it.each(EVENT_NAMES)("%s is decided with no hooks, and its hooks are the only ones asked", async (name) => {
    const mine = hook("mine", NO_OPINION, { on: [name] });
    const others = hook("others", crash, { on: EVENT_NAMES.filter((other) => other !== name) });
    const decision = await decide(sampleEvent(name), [mine, others], options());
    expect(decision.kind).toBe("none");
    expect(decision.trace.map((step) => step.hook)).toEqual(["mine"]);
  });
});
