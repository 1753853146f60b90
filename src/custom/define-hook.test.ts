import { describe, expect, expectTypeOf, test } from "vitest";
import type { EventOf } from "../core/event.ts";
import { HookFailure } from "../core/failure.ts";
import { count, oneOf, optional, text } from "../core/fields.ts";
import type { JsonObject } from "../core/json.ts";
import type { ContentCall, ShellCall, ToolCall } from "../core/tool.ts";
import type { AnswerTo } from "./answer.ts";
import { defineHook, judgeDefinition, onErrorOf } from "./define-hook.ts";
import { judgeContext, preToolUse } from "./module.fixture.ts";

describe("the event has the type that `on` and `when` say", () => {
  test("kind narrows the tool", () => {
    defineHook({
      name: "a",
      on: ["pre_tool_use"],
      when: { kind: "shell" },
      judge(event, { now, options }) {
        expectTypeOf(event.name).toEqualTypeOf<"pre_tool_use">();
        expectTypeOf(event.tool).toEqualTypeOf<ShellCall>();
        expectTypeOf(event.tool.command).toBeString();
        expectTypeOf(now).toEqualTypeOf<Date>();
        expectTypeOf(options).toEqualTypeOf<JsonObject>();
        if (event.tool.command.startsWith("deploy")) return { block: "no" };
        if (event.cwd === "/") return { ask: "sure?", rule: "root" };
        if (event.cwd === "/x") return { rewrite: { command: "ls" }, context: ["rewritten"] };
        return;
      },
    });
  });

  test("several kinds leave a union, a command makes it a shell call", () => {
    defineHook({
      name: "a",
      on: ["pre_tool_use", "post_tool_use"],
      when: { kind: ["write", "edit"] },
      judge: (event) => void expectTypeOf(event.tool).toEqualTypeOf<ContentCall>(),
    });
    defineHook({
      name: "a",
      on: ["permission_request"],
      when: { command: "git push*" },
      judge: (event) => void expectTypeOf(event.tool).toEqualTypeOf<ShellCall>(),
    });
    defineHook({
      name: "a",
      on: ["pre_tool_use"],
      judge: (event) => void expectTypeOf(event.tool).toEqualTypeOf<ToolCall>(),
    });
  });

  test("several events are a union told apart by name", () => {
    defineHook({
      name: "a",
      on: ["stop", "pre_tool_use"],
      async judge(event) {
        expectTypeOf(event).toEqualTypeOf<EventOf<"stop" | "pre_tool_use">>();
        if (event.name === "stop") return { continue: "go on" };
        return { block: event.tool.name, note: { paths: event.tool.paths } };
      },
    });
  });

  test("declared options are typed", () => {
    defineHook({
      name: "a",
      on: ["stop"],
      options: { zone: text(), tries: optional(count()), mode: oneOf(["soft", "hard"]) },
      judge(_event, { options }) {
        expectTypeOf(options.zone).toBeString();
        expectTypeOf(options.tries).toEqualTypeOf<number | undefined>();
        expectTypeOf(options.mode).toEqualTypeOf<"soft" | "hard">();
      },
    });
  });
});

describe("what an event cannot be answered does not compile, and fails for those without a compiler", () => {
  const refused = (declare: () => unknown) => {
    try {
      declare();
    } catch (error) {
      if (error instanceof HookFailure) return `${error.code}: ${error.message}`;
    }
    return "accepted";
  };

  test("answers", () => {
    expectTypeOf<{ block: string }>().toExtend<AnswerTo<"pre_tool_use">>();
    expectTypeOf<{ block: string }>().not.toExtend<AnswerTo<"stop">>();
    expectTypeOf<{ ask: string }>().not.toExtend<AnswerTo<"permission_request">>();
    expectTypeOf<{ mutate: JsonObject }>().not.toExtend<AnswerTo<"pre_tool_use">>();
    expectTypeOf<{ block: string; ask: string }>().not.toExtend<AnswerTo<"pre_tool_use">>();
    expectTypeOf<{ block: string; rewrite: JsonObject }>().not.toExtend<AnswerTo<"pre_tool_use">>();
    expectTypeOf<{ allow: false }>().not.toExtend<AnswerTo<"pre_tool_use">>();
    expectTypeOf<{ rewrite: string }>().not.toExtend<AnswerTo<"pre_tool_use">>();
    expectTypeOf<{ rewrite: string }>().toExtend<AnswerTo<"post_tool_use">>();
    expectTypeOf<{ rewrite: { objective: string } }>().toExtend<AnswerTo<"pre_delegation">>();
    expectTypeOf<{ rewrite: { objective: number } }>().not.toExtend<AnswerTo<"pre_delegation">>();
    expectTypeOf<{ note: number }>().toExtend<AnswerTo<"notification">>();
    expectTypeOf<{ context: string }>().not.toExtend<AnswerTo<"notification">>();
    // @ts-expect-error stop cannot be blocked
    defineHook({ name: "a", on: ["stop"], judge: () => ({ block: "no" }) });
    // @ts-expect-error nor asynchronously
    defineHook({ name: "a", on: ["pre_tool_use"], judge: async () => ({ continue: "x" }) });
    // @ts-expect-error misspelt
    defineHook({ name: "a", on: ["pre_tool_use"], judge: () => ({ blok: "no" }) });
    // @ts-expect-error misspelt beside a good one
    defineHook({ name: "a", on: ["pre_tool_use"], judge: () => ({ block: "no", contxt: "x" }) });
    // @ts-expect-error misspelt beside a good one, asynchronously
    defineHook({ name: "a", on: ["pre_tool_use"], judge: async () => ({ block: "no", contxt: "x" }) });
    // @ts-expect-error a number is no answer
    defineHook({ name: "a", on: ["pre_tool_use"], judge: () => 5 });
    // @ts-expect-error null is no answer
    defineHook({ name: "a", on: ["pre_tool_use"], judge: () => null });
    defineHook({
      name: "a",
      on: ["pre_tool_use"],
      when: { kind: "read" },
      // @ts-expect-error a read has no command
      judge: (event) => ({ block: event.tool.command }),
    });
  });

  const judge = () => undefined;
  test.each([
    [
      // @ts-expect-error
      () => defineHook({ name: "a", on: ["pre_tol_use"], judge }),
      'not-loaded: hook a: on names an unknown event "pre_tol_use"; did you mean pre_tool_use?',
    ],
    [
      // @ts-expect-error
      () => defineHook({ name: "a", on: ["PreToolUse"], judge }),
      'not-loaded: hook a: on names an unknown event "PreToolUse"; did you mean pre_tool_use?',
    ],
    [
      // @ts-expect-error
      () => defineHook({ name: "a", on: "pre_tool_use", judge }),
      'not-loaded: hook a: on must be a list of events, as in on: ["pre_tool_use"]',
    ],
    [() => defineHook({ name: "a", on: [], judge }), "not-loaded: hook a: on must be a list of events"],
    [
      // @ts-expect-error
      () => defineHook({ name: "a", on: ["stop"], judge, onEror: "block" }),
      'not-loaded: hook a: unknown key "onEror"; did you mean onError?',
    ],
    [
      // @ts-expect-error
      () => defineHook({ name: "a", on: ["stop"], judge, onError: "open" }),
      'not-loaded: hook a: onError must be one of block, continue, not "open"',
    ],
    [
      // @ts-expect-error
      () => defineHook({ name: "a", on: ["pre_tool_use"], when: { kinds: ["shell"] }, judge }),
      'not-loaded: hook a: when has an unknown key "kinds"; did you mean kind?',
    ],
    [
      () => defineHook({ name: "a", on: ["pre_tool_use"], when: { paths: "!src/**" }, judge }),
      'not-loaded: hook a: when.paths: "!src/**" covers nothing: there are no exceptions among path globs; list what is meant without it, such as "infra/{dev,test}/**" (a name that begins with ! is "./!src/**")',
    ],
    [
      // @ts-expect-error
      () => defineHook({ name: "a", on: ["pre_tool_use"], when: { kind: "shel" }, judge }),
      'not-loaded: hook a: when.kind must be one of shell, write, edit, read, search, fetch, mcp, delegate, other, not "shel"; did you mean shell?',
    ],
    [
      // @ts-expect-error
      () => defineHook({ name: "a", on: ["pre_tool_use", "stop"], when: { kind: "shell" }, judge }),
      "not-loaded: hook a: when.kind is about a tool call, but stop has none, so the hook would never be asked; make it two hooks",
    ],
    [
      () => defineHook({ name: "a", on: ["pre_tool_use"], when: { kind: [] }, judge }),
      "not-loaded: hook a: when.kind is empty, so the hook would never be asked",
    ],
    // @ts-expect-error
    [() => defineHook({ on: ["stop"], judge }), "not-loaded: name must be a short text on one line, not undefined"],
    [() => defineHook({ name: " ", on: ["stop"], judge }), "not-loaded: hook  : name must be"],
    // @ts-expect-error
    [() => defineHook({ name: "a", on: ["stop"] }), "not-loaded: hook a: judge must be a function, not undefined"],
    [() => defineHook({ name: "a", on: ["stop"], judge, timeoutMs: 0 }), "not-loaded: hook a: timeoutMs must be"],
    [() => defineHook({ name: "a", on: ["stop"], judge, priority: Number.NaN }), "not-loaded: hook a: priority"],
    [
      // @ts-expect-error
      () => defineHook({ name: "a", on: ["stop"], options: { zone: "string" }, judge }),
      "not-loaded: hook a: options.zone must be a field, as in zone: fields.text()",
    ],
    // @ts-expect-error
    [() => defineHook(judge), "not-loaded: defineHook takes one object, not a function"],
  ])("declaration %#", (declare, message) => {
    expect(refused(declare)).toContain(message);
  });
});

describe("a definition is data and a judge", () => {
  const hook = defineHook({
    name: "no-friday-deploys",
    on: ["pre_tool_use"],
    when: { kind: "shell", command: "deploy*", hosts: "codex" },
    priority: 5,
    options: { zone: text() },
    judge: ({ tool }, { now, options }) => ({ block: `${tool.command} ${now.toISOString()} ${options.zone}` }),
  });

  test("one kind and one host become lists", () => {
    expect(hook.when).toEqual({ kinds: ["shell"], command: "deploy*", hosts: ["codex"] });
    expect(JSON.parse(JSON.stringify(hook))).toMatchObject({ name: "no-friday-deploys", priority: 5 });
  });

  test("judging gives a verdict", async () => {
    const verdict = await judgeDefinition(
      hook,
      preToolUse("deploy"),
      judgeContext({ options: { zone: "Europe/Berlin" } }),
    );
    expect(verdict.opinion).toEqual({ kind: "block", reason: "deploy 2026-11-13T16:00:00.000Z Europe/Berlin" });
  });

  test("options that do not fit their declaration are a failure that names the option", async () => {
    const judged = async () => judgeDefinition(hook, preToolUse("deploy"), judgeContext({ options: { zone: 5 } }));
    await expect(judged()).rejects.toMatchObject({
      code: "not-loaded",
      message: "hook no-friday-deploys: its option zone does not fit: must be a string, not a number",
    });
  });

  test("where a hook does not say, what guards fails closed", () => {
    expect(onErrorOf({ on: ["pre_tool_use"] })).toBe("block");
    expect(onErrorOf({ on: ["post_tool_use"] })).toBe("continue");
    expect(onErrorOf({ on: ["stop", "user_prompt_submit"] })).toBe("block");
    expect(onErrorOf({ on: ["pre_tool_use"], onError: "continue" })).toBe("continue");
  });

  test("`this` in judge is the object as written", async () => {
    const counted = defineHook({
      name: "a",
      on: ["pre_tool_use"],
      judge() {
        return { block: this.name };
      },
    });
    const { judge } = counted;
    expect(judge(preToolUse("ls"), judgeContext())).toEqual({ block: "a" });
  });
});
