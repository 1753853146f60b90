import { describe, expect, expectTypeOf, test } from "vitest";
import { type DecideOptions, decide } from "../core/engine.ts";
import type { AgentEvent } from "../core/event.ts";
import type { JsonObject } from "../core/json.ts";
import type { ToolCall } from "../core/tool.ts";
import {
  type HookContext,
  HookRegistry,
  PostToolUseHook,
  type PostToolUseResult,
  PreToolUseHook,
  type PreToolUseResult,
  SessionStartHook,
  type SessionStartResult,
} from "./class-hook.ts";
import { postToolUse, preToolUse, sessionStart, shellCall } from "./module.fixture.ts";

const options: DecideOptions = {
  tools: { read: (name, input) => ({ ...shellCall(String(input.command)), name, input }) as ToolCall },
  clock: () => 0,
  signal: new AbortController().signal,
  context: { maxCharacters: 10_000, told: () => false },
  maxContinuations: 3,
};

const decideOn = (event: AgentEvent, registry: HookRegistry) => decide(event, registry.hooks(), options);

const preHook = (
  name: string,
  execute: (ctx: HookContext<"pre_tool_use">) => PreToolUseResult | undefined,
  settings: { priority?: number; toolFilter?: string; onError?: "block" | "continue"; timeoutMs?: number } = {},
) =>
  Object.assign(
    new (class extends PreToolUseHook {
      readonly name = name;
      async execute(ctx: HookContext<"pre_tool_use">) {
        return execute(ctx);
      }
    })(),
    settings,
  );

const postHook = (name: string, execute: (ctx: HookContext<"post_tool_use">) => PostToolUseResult | undefined) =>
  new (class extends PostToolUseHook {
    readonly name = name;
    async execute(ctx: HookContext<"post_tool_use">) {
      return execute(ctx);
    }
  })();

const startHook = (name: string, execute: () => SessionStartResult | undefined) =>
  new (class extends SessionStartHook {
    readonly name = name;
    async execute() {
      return execute();
    }
  })();

class ReadOnlyGuard extends PreToolUseHook {
  readonly name = "readonly_guard";
  override readonly priority = 5;
  override readonly toolFilter = "sql_*";
  override shouldTrigger(ctx: HookContext<"pre_tool_use">) {
    return !String(ctx.toolArgs.command).startsWith("SELECT");
  }
  async execute(ctx: HookContext<"pre_tool_use">) {
    expectTypeOf(ctx.toolName).toBeString();
    expectTypeOf(ctx.toolArgs).toEqualTypeOf<JsonObject>();
    if (ctx.orgId !== "acme") return {};
    return { allow: false, error: "Org is in read-only mode.", sideEffects: ["readonly_guard: blocked sql write"] };
  }
}

describe("the registry", () => {
  test("F-1: hooks of a point run in ascending priority, equal ones as registered", async () => {
    const order: string[] = [];
    const hook = (name: string, priority?: number) =>
      preHook(name, () => void order.push(name) as undefined, priority === undefined ? {} : { priority });
    const registry = new HookRegistry();
    for (const one of [hook("d"), hook("e"), hook("c", 10), hook("a", -5), hook("b", 10), hook("f", 100)])
      registry.register(one);
    await decideOn(preToolUse("ls"), registry);
    expect(order).toEqual(["a", "c", "b", "d", "e", "f"]);
    expect(registry.list().map(({ name }) => name)).toEqual(order);
  });

  test("F-2: rewritten args are what the next hook and the tool receive, the last writer wins", async () => {
    const seen: unknown[] = [];
    const add = (text: string) => (ctx: HookContext<"pre_tool_use">) => {
      seen.push(ctx.toolArgs.command);
      const command = String(ctx.toolArgs.command);
      return command.includes(text) ? undefined : { modifiedArgs: { command: `${command} ${text}` } };
    };
    const registry = new HookRegistry().register(preHook("one", add("-a"))).register(preHook("two", add("-b")));
    const decision = await decideOn(preToolUse("ls"), registry);
    expect(seen.slice(0, 2)).toEqual(["ls", "ls -a"]);
    expect(decision.rewrite).toEqual({ command: "ls -a -b" });
    expect(decision.final).toMatchObject({ tool: { command: "ls -a -b" } });
  });

  test("F-2: a rewritten result is what the next hook and the model receive, the last writer wins", async () => {
    const registry = new HookRegistry()
      .register(
        postHook("one", ({ toolResult }) => ({ modifiedResult: `${String(toolResult).replace("secret", "***")}` })),
      )
      .register(postHook("two", ({ toolResult }) => ({ modifiedResult: String(toolResult).slice(0, 5) })));
    const decision = await decideOn(postToolUse("a secret b"), registry);
    expect(decision.rewrite).toBe("a ***");
  });

  test("F-3, where the laws decide: a block skips the tool, but every guard still judges and the first block leads", async () => {
    const registry = new HookRegistry()
      .register(preHook("second", () => ({ allow: false, error: "also no" }), { priority: 20 }))
      .register(preHook("first", () => ({ allow: false, error: "no" }), { priority: 10 }))
      .register(preHook("third", () => ({}), { priority: 30 }));
    const decision = await decideOn(preToolUse("ls"), registry);
    expect(decision.kind).toBe("block");
    expect(decision.reasons.map(({ hook, text }) => `${hook}: ${text}`)).toEqual(["first: no", "second: also no"]);
    expect(decision.trace.map(({ hook, skipped }) => [hook, skipped])).toEqual([
      ["first", undefined],
      ["second", undefined],
      ["third", undefined],
    ]);
  });

  test("F-3: a block without a reason gets one that names the hook", async () => {
    const registry = new HookRegistry().register(preHook("gate", () => ({ allow: false })));
    const { reasons } = await decideOn(preToolUse("ls"), registry);
    expect(reasons).toEqual([{ hook: "gate", text: "blocked by hook gate" }]);
  });

  test.each([
    ["*", "anything", true],
    ["sql_*", "sql_write", true],
    ["sql_*", "nosql_write", false],
    ["*__*", "crm__create", true],
    ["*__*", "crm_create", false],
    ["get_?", "get_x", true],
    ["get_?", "get_xy", false],
    ["{sql,crm}_*", "crm_x", true],
    ["{sql,crm}_*", "erp_x", false],
    ["a*b*c", "aXbXbYc", true],
    ["a*b*c", "acb", false],
    ["shell", "Bash", true],
  ])("F-4: the filter %s on tool %s: %s", async (toolFilter, name, matches) => {
    const registry = new HookRegistry().register(preHook("hook", () => ({ allow: false }), { toolFilter }));
    const event = preToolUse("ls");
    const decision = await decideOn({ ...event, tool: { ...event.tool, name } }, registry);
    expect(decision.kind).toBe(matches ? "block" : "none");
  });

  test("F-4: no filter matches all, and a filter matches nothing where there is no tool", async () => {
    const welcome = startHook("welcome", () => ({ context: "hi" }));
    expect((await decideOn(sessionStart(), new HookRegistry().register(welcome))).context).toHaveLength(1);
    const filtered = new HookRegistry().register(Object.assign(welcome, { toolFilter: "*" }));
    expect((await decideOn(sessionStart(), filtered)).trace[0]?.skipped).toBe("only for tool *");
  });

  test("F-4: a filter cannot be made to hang", () => {
    const registry = new HookRegistry().register(
      preHook("hook", () => undefined, { toolFilter: "*a*a*a*a*a*a*a*a*b" }),
    );
    // One that tries all ways to read it does not come back in the time of a test.
    expect(registry.hooks()[0]?.when?.tool?.test("a".repeat(20_000))).toBe(false);
  });

  test("F-5: shouldTrigger = false has no effect on the call", async () => {
    const registry = new HookRegistry().register(new ReadOnlyGuard());
    const event = (command: string) => {
      const call = preToolUse(command, { organisation: "acme" });
      return { ...call, tool: { ...call.tool, name: "sql_run" } };
    };
    expect((await decideOn(event("SELECT 1"), registry)).kind).toBe("none");
    expect(await decideOn(event("DROP TABLE x"), registry)).toMatchObject({
      kind: "block",
      reasons: [{ hook: "readonly_guard", text: "Org is in read-only mode." }],
      effects: [{ type: "note", data: "readonly_guard: blocked sql write" }],
    });
  });

  test("F-6: a session-start hook adds context", async () => {
    const registry = new HookRegistry().register(startHook("welcome", () => ({ context: ["one", "two"] })));
    const { context } = await decideOn(sessionStart(), registry);
    expect(context).toEqual([
      { hook: "welcome", text: "one" },
      { hook: "welcome", text: "two" },
    ]);
  });

  test("F-6: allow: false of a post or session-start hook is an invalid answer, not ignored and not a block", async () => {
    const refusing = { allow: false } as unknown as PostToolUseResult;
    const registry = new HookRegistry()
      .register(postHook("post", () => refusing))
      .register(startHook("start", () => refusing as SessionStartResult));
    for (const event of [postToolUse("out"), sessionStart()]) {
      const decision = await decideOn(event, registry);
      expect(decision.kind).toBe("none");
      expect(decision.trace[0]?.failure?.code).toBe("invalid-answer");
      expect(decision.trace[0]?.failure?.message).toContain(`a ${event.name} hook cannot block`);
      expect(decision.effects).toMatchObject([{ type: "notice", notice: { is_error: true, code: "invalid-answer" } }]);
    }
  });

  test("F-7: a throwing hook never crashes the agent; before a tool it blocks unless it says otherwise", async () => {
    const broken = () => {
      throw new Error("database is down");
    };
    const closed = new HookRegistry().register(preHook("gate", broken));
    const open = new HookRegistry().register(preHook("gate", broken, { onError: "continue" }));
    const blocked = await decideOn(preToolUse("ls"), closed);
    expect(blocked.kind).toBe("block");
    expect(blocked.reasons[0]?.text).toContain("database is down");
    const passed = await decideOn(preToolUse("ls"), open);
    expect(passed.kind).toBe("none");
    expect(passed.effects).toMatchObject([{ type: "notice", notice: { is_error: true, hook: "gate" } }]);
    expect((await decideOn(postToolUse("x"), new HookRegistry().register(postHook("log", broken)))).kind).toBe("none");
  });

  test("F-7: a hook that hangs takes the same path when its time is up", async () => {
    class Hanging extends PreToolUseHook {
      readonly name = "hanging";
      override readonly timeoutMs = 20;
      execute() {
        return new Promise<undefined>(() => {});
      }
    }
    const decision = await decideOn(preToolUse("ls"), new HookRegistry().register(new Hanging()));
    expect(decision.trace[0]?.failure).toEqual({ code: "timeout", message: "did not answer within 20 ms" });
    expect(decision.kind).toBe("block");
  });

  test("F-8: list, unregister and size; names need not be unique, unregister takes all of one name", () => {
    const registry = new HookRegistry();
    registry
      .register(preHook("a", () => ({})))
      .register(postHook("a", () => ({})))
      .register(startHook("b", () => ({})));
    expect(registry.size).toBe(3);
    expect(registry.list("post_tool_use").map(({ name }) => name)).toEqual(["a"]);
    expect(registry.unregister("a")).toBe(true);
    expect(registry.unregister("a")).toBe(false);
    expect(registry.list().map(({ name }) => name)).toEqual(["b"]);
    expect(registry.size).toBe(1);
  });

  test("F-8: side effects of all hooks are aggregated in order and visible in the trace", async () => {
    const registry = new HookRegistry()
      .register(preHook("one", () => ({ sideEffects: ["one: looked", "one: logged"] })))
      .register(preHook("two", () => ({ allow: false, sideEffects: ["two: blocked"] })))
      .register(preHook("three", () => ({ sideEffects: ["three: counted"] })));
    const decision = await decideOn(preToolUse("ls"), registry);
    const notes = ["one: looked", "one: logged", "two: blocked", "three: counted"];
    expect(decision.effects).toEqual(notes.map((data) => ({ type: "note", data })));
    expect(decision.trace.flatMap(({ effects }) => effects)).toEqual(decision.effects);
  });

  test("F-9: the context carries tool, args, result, agent, user, conversation, organisation, call id and confirmation", async () => {
    const seen: HookContext[] = [];
    const registry = new HookRegistry()
      .register(preHook("pre", (ctx) => void seen.push(ctx) as undefined))
      .register(postHook("post", (ctx) => void seen.push(ctx) as undefined));
    const more = {
      agent: "reviewer",
      user: "u1",
      organisation: "acme",
      metadata: { requires_confirmation: true, ticket: 7 },
    };
    await decideOn(preToolUse("ls", more), registry);
    await decideOn(postToolUse("out"), registry);
    const { event: _event, ...first } = seen[0] as HookContext;
    expect(first).toEqual({
      hookPoint: "pre_tool_use",
      toolName: "Bash",
      toolArgs: { command: "ls" },
      toolResult: null,
      agentId: "reviewer",
      userId: "u1",
      conversationId: "s1",
      orgId: "acme",
      toolCallId: "call-1",
      requiresConfirmation: true,
      metadata: { requires_confirmation: true, ticket: 7 },
    });
    expect(seen[0]?.event).toMatchObject({ name: "pre_tool_use", cwd: "/project" });
    expect(seen[1]).toMatchObject({
      toolResult: "out",
      agentId: null,
      userId: null,
      orgId: null,
      requiresConfirmation: false,
    });
  });
});

describe("what a class hook returns is read strictly", () => {
  test.each([
    [{ alow: false }, 'returned "alow", which a pre_tool_use hook cannot; did you mean allow?'],
    [{ modifiedResult: "x" }, 'returned "modifiedResult", which a pre_tool_use hook cannot'],
    [{ error: "no" }, "returned an error without allow: false"],
    [{ allow: "no" }, "returned allow: a string"],
    [{ allow: false, modifiedArgs: {} }, "returned modifiedArgs for a call that it refuses"],
    [{ sideEffects: [1] }, "answered sideEffects with a list"],
    [{ modifiedArgs: { f() {} } }, "answered modifiedArgs.f with a function"],
    [5, "execute returned a number"],
  ])("%o fails closed", async (result, message) => {
    const registry = new HookRegistry().register(preHook("hook", () => result as PreToolUseResult));
    const decision = await decideOn(preToolUse("ls"), registry);
    expect(decision.kind).toBe("block");
    expect(decision.trace[0]?.failure).toMatchObject({ code: "invalid-answer" });
    expect(decision.trace[0]?.failure?.message).toContain(message);
  });

  test("allow: true and keys that are undefined say nothing", async () => {
    const registry = new HookRegistry().register(
      preHook("hook", () => ({ allow: true, error: undefined }) as unknown as PreToolUseResult),
    );
    expect((await decideOn(preToolUse("ls"), registry)).kind).toBe("none");
  });

  test("only sound class hooks can be registered", () => {
    const registry = new HookRegistry();
    // @ts-expect-error not a class hook
    expect(() => registry.register({ name: "x" })).toThrow("register takes an instance of a class hook, not an object");
    // @ts-expect-error a class, not an instance
    expect(() => registry.register(ReadOnlyGuard)).toThrow("not a function");
    expect(() => registry.register(preHook("", () => ({})))).toThrow("has no name");
    expect(() => registry.register(preHook("x", () => ({}), { priority: Number.NaN }))).toThrow(
      "priority must be a number",
    );
  });
});
