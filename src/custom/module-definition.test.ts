import { describe, expect, test } from "vitest";
import { PreToolUseHook } from "./class-hook.ts";
import { defineHook } from "./define-hook.ts";
import { judgeContext, preToolUse } from "./module.fixture.ts";
import { readModule } from "./module-definition.ts";

const defined = defineHook({ name: "defined", on: ["pre_tool_use"], judge: () => ({ block: "no" }) });

class Guard extends PreToolUseHook {
  readonly name = "guard";
  override readonly toolFilter = "sql_*";
  execute() {
    return { allow: false, error: "class says no" };
  }
}

class NeedsArguments extends Guard {
  readonly store: string;
  constructor(settings: { store: string }) {
    super();
    this.store = settings.store;
  }
}

const esm = (value: unknown) => Object.defineProperty({ default: value }, "__esModule", { value: true });
const read = (value: unknown) => readModule(esm(value), "/p/hook.ts");

describe("a module's default export", () => {
  test("is a defined hook", async () => {
    const [hook] = read(defined);
    expect(hook?.data).toMatchObject({ name: "defined", on: ["pre_tool_use"] });
    expect(await hook?.judge(preToolUse("ls"), judgeContext())).toEqual({ opinion: { kind: "block", reason: "no" } });
  });

  test.each([
    ["a class", Guard],
    ["an instance", new Guard()],
  ])("is %s", async (_name, value) => {
    const [hook] = read(value);
    expect(hook?.data).toEqual({ name: "guard", on: ["pre_tool_use"], priority: 50, when: { tool: "sql_*" } });
    const verdict = await hook?.judge(preToolUse("ls"), judgeContext());
    expect(verdict?.opinion).toEqual({ kind: "block", reason: "class says no" });
  });

  test("is a list of these, in the order written", () => {
    expect(read([defined, Guard, new Guard()]).map(({ data }) => data.name)).toEqual(["defined", "guard", "guard"]);
  });

  test("of a CommonJS module is what it exports", () => {
    expect(readModule(defined, "/p/hook.js").map(({ data }) => data.name)).toEqual(["defined"]);
    expect(readModule({ default: defined }, "/p/hook.js")).toHaveLength(1);
  });

  test.each([
    ["undefined", undefined, "exports undefined; a hook module needs `export default defineHook({ … })`"],
    ["a function", () => {}, "exports a function; a hook module needs"],
    ["a foreign class", class Foo {}, "exports class Foo, which is no hook;"],
    ["an unwrapped hook", { name: "x", on: ["stop"], judge() {} }, "not wrapped in defineHook({ … });"],
    ["an empty list", [], "exports an empty list;"],
    ["a list with a stranger in it", [defined, 5], "/p/hook.ts [1] exports a number;"],
    ["a class that needs arguments", NeedsArguments, "new NeedsArguments() failed: TypeError"],
    ["a base class", PreToolUseHook, "has no name"],
  ])("cannot be %s", (_name, value, message) => {
    expect(() => read(value)).toThrow(expect.objectContaining({ code: "not-loaded" }));
    expect(() => read(value)).toThrow(message);
  });

  test("cannot be missing", () => {
    const named = Object.defineProperty({ hook: defined }, "__esModule", { value: true });
    expect(() => readModule(named, "/p/hook.ts")).toThrow("/p/hook.ts exports only hook, and no default;");
    const empty = Object.defineProperty({}, "__esModule", { value: true });
    expect(() => readModule(empty, "/p/hook.ts")).toThrow("/p/hook.ts exports nothing;");
  });
});
