import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Json, JsonObject } from "../core/json.ts";
import { type HookContext, PreToolUseHook } from "../custom/class-hook.ts";
import { defineHook } from "../custom/define-hook.ts";
import type { CodeHook } from "./code-hooks.ts";
import { sceneForEachTest } from "./embedded.fixture.ts";

const scene = sceneForEachTest();
const KEY = "ghp_A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8";

const sessionWith = async (...hooks: CodeHook[]) => (await scene.create({ hooks })).session();
const returning = async (output: unknown, ...hooks: CodeHook[]) =>
  (await sessionWith(...hooks)).callTool({ name: "t", input: {}, run: () => output as Json });
const guard = (seen: unknown[]) =>
  defineHook({
    name: "guard",
    on: ["pre_tool_use"],
    priority: 10,
    judge({ tool }) {
      seen.push(structuredClone(tool.input));
      return tool.input.to === "production" ? { block: "not there" } : undefined;
    },
  });
const soon = () => new Promise((resolve) => setTimeout(resolve, 5));

describe("29.2 what was judged is what runs", () => {
  class Meddler extends PreToolUseHook {
    override name = "meddler";
    override execute({ toolArgs }: HookContext<"pre_tool_use">) {
      Object.assign(toolArgs, { to: "production" });
      return undefined;
    }
  }
  it.each([
    [
      "defined",
      defineHook({
        name: "meddler",
        on: ["pre_tool_use"],
        priority: 90,
        judge({ tool }) {
          Object.assign(tool.input, { to: "production" });
        },
      }),
    ],
    ["a class", new Meddler()],
  ])("a hook in code, %s, that changes its event changes no call, and nothing that others see", async (_, meddler) => {
    const seen: unknown[] = [];
    const session = await sessionWith(guard(seen), meddler as CodeHook);
    const outcome = await session.callTool({ name: "t", input: { to: "staging" }, run: (input) => input });
    expect(outcome).toMatchObject({ status: "ran", input: { to: "staging" }, output: { to: "staging" } });
    expect(seen).toEqual([{ to: "staging" }]);
  });

  it("whoever has the input changes no call while hooks look at it", async () => {
    const input = { to: "staging" };
    const slow = defineHook({ name: "slow", on: ["pre_tool_use"], priority: 90, judge: () => soon().then(() => {}) });
    const session = await sessionWith(guard([]), slow);
    const running = session.callTool({ name: "t", input, run: (final) => final });
    input.to = "production";
    expect(await running).toMatchObject({ status: "ran", input: { to: "staging" }, output: { to: "staging" } });
  });

  it("who is asked about a call changes no call", async () => {
    const asks = defineHook({ name: "asks", on: ["pre_tool_use"], judge: () => ({ ask: "really?" }) });
    const holdfast = await scene.create({
      hooks: [asks],
      ask({ tool }) {
        Object.assign(tool.input, { to: "production" });
        return { allow: true };
      },
    });
    const outcome = await holdfast.session().callTool({ name: "t", input: { to: "staging" }, run: (final) => final });
    expect(outcome).toMatchObject({ status: "ran", input: { to: "staging" }, output: { to: "staging" } });
  });

  it("a tool that changes its input as it runs changes nothing of what hooks hear and records tell", async () => {
    const heard: unknown[] = [];
    const hears = defineHook({
      name: "hears",
      on: ["post_tool_use"],
      judge: ({ tool }) => void heard.push(tool.input),
    });
    const run = (input: JsonObject) => {
      Object.assign(input, { to: "production" });
      return "done";
    };
    const outcome = await (await sessionWith(hears)).callTool({ name: "t", input: { to: "staging" }, run });
    expect([outcome.input, ...heard]).toEqual([{ to: "staging" }, { to: "staging" }]);
  });

  it("an input that JSON cannot hold runs as hooks saw it", async () => {
    const seen: Json[] = [];
    const looks = defineHook({ name: "looks", on: ["pre_tool_use"], judge: ({ tool }) => void seen.push(tool.input) });
    const input = { at: new Date(0), hidden: new Map([["to", "production"]]), absent: undefined };
    const given = input as unknown as JsonObject;
    const outcome = await (await sessionWith(looks)).callTool({ name: "t", input: given, run: (final) => final });
    const held = { at: "1970-01-01T00:00:00.000Z", hidden: {} };
    expect(seen).toStrictEqual([held]);
    expect(outcome).toMatchObject({ status: "ran" });
    expect(outcome.status === "ran" && outcome.output).toStrictEqual(held);
  });
});

describe("an output", () => {
  class Account {
    readonly #token = KEY;
    readonly name = "mona";
    token = () => this.#token;
  }
  class Pages extends Array<string> {
    toJSON = () => [`${this.length} page`];
  }
  const sparse: string[] = [];
  sparse[1] = "b";

  it.each<[string, unknown, Json]>([
    ["a Map", new Map([["key", KEY]]), {}],
    ["a Map further down", { list: [new Map([["key", KEY]])] }, { list: [{}] }],
    ["an instance of a class", new Account(), { name: "mona" }],
    ["what has a JSON form of its own", { at: new Date(0) }, { at: "1970-01-01T00:00:00.000Z" }],
    ["what stands under a symbol", { [Symbol.for("key")]: KEY, a: 1 }, { a: 1 }],
    ["what cannot be listed", Object.defineProperty({ a: 1 }, "key", { value: KEY }), { a: 1 }],
    ["a number that is none", { a: Number.NaN }, { a: null }],
    ["a list with holes", sparse, [null, "b"]],
    ["a list of a kind of its own", Pages.of(KEY), ["1 page"]],
    ["fields without a value", { a: undefined, b: 1 }, { b: 1 }],
    ["nothing", undefined, null],
    ["a function", () => KEY, null],
  ])("that is %s goes on as hooks saw it", async (_, output, held) => {
    const seen: Json[] = [];
    const looks = defineHook({
      name: "looks",
      on: ["post_tool_use"],
      judge: (event) => void seen.push(event.response),
    });
    const outcome = await returning(output, looks);
    expect(outcome).toMatchObject({ status: "ran", failed: false });
    expect(seen).toStrictEqual([held]);
    expect(outcome.status === "ran" && outcome.output).toStrictEqual(held);
    expect(outcome.status === "ran" && Reflect.ownKeys(Object(outcome.output))).toEqual(Reflect.ownKeys(Object(held)));
  });

  it("keeps no secret of a Map where outputs are redacted", async () => {
    mkdirSync(join(scene.dir, "config"));
    writeFileSync(join(scene.dir, "config/holdfast.yaml"), "guards:\n  redact-output: true\n");
    for (const output of [{ key: KEY }, { token: new Map([["key", KEY]]) }]) {
      const outcome = await returning(output);
      expect(String(outcome.status === "ran" && inspected(outcome.output))).not.toContain(KEY);
    }
  });

  const circle: { self?: unknown } = {};
  circle.self = circle;
  let deep: unknown = KEY;
  for (let depth = 0; depth < 50_000; depth++) deep = [deep];
  it.each([
    ["leads back to itself", circle],
    ["holds a number that JSON has not", { key: KEY, count: 1n }],
    ["is nested too deep", deep],
  ])("that %s, so that no hook can look at it, is withheld, and the call is recorded as failed", async (_, output) => {
    const outcome = await returning(output);
    const said = expect.stringMatching(/^The tool was called, but .* so it is withheld \(/);
    expect(outcome).toMatchObject({ status: "ran", failed: true, output: said });
    expect(scene.records("ledger").at(-1)).toMatchObject({ tool_name: "t", success: false });
  });

  it("is what the tool returned, whatever the tool does to it afterwards", async () => {
    const output = { key: "none" };
    const slow = defineHook({ name: "slow", on: ["post_tool_use"], judge: () => soon().then(() => {}) });
    const running = returning(output, slow);
    await soon();
    output.key = KEY;
    expect(await running).toMatchObject({ status: "ran", output: { key: "none" } });
  });

  it("that a program fires itself goes on as hooks saw it, too", async () => {
    const session = await sessionWith();
    const response = new Map([["key", KEY]]) as unknown as Json;
    const tool = { name: "t", input: {} };
    const seen = { tool, response, failed: false, outcomeUnknown: false, durationMs: 1 };
    expect((await session.fire("post_tool_use", seen)).final.response).toStrictEqual({});
  });
});

const inspected = (value: unknown): string =>
  value instanceof Map
    ? JSON.stringify([...value])
    : JSON.stringify(value, (_, part) => (part instanceof Map ? [...part] : part));
