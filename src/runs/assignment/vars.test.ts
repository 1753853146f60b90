import { describe, expect, test } from "vitest";
import type { RunVar } from "../run.ts";
import { thrown } from "../scratch.fixture.ts";
import type { VarDeclaration } from "./assignment.ts";
import { fillKnown, fillTemplate } from "./template.ts";
import { checkRequired, resolveVars, shownVars, typedVars, type VarRequest, valuesOf } from "./vars.ts";

const declare = (changes: Partial<VarDeclaration> = {}): VarDeclaration => ({
  type: "string",
  required: false,
  requiredAt: "initial",
  sources: ["cli", "web"],
  envName: "KEY",
  default: null,
  description: null,
  values: [],
  ...changes,
});

const resolve = (declared: Record<string, VarDeclaration>, changes: Partial<VarRequest> = {}) =>
  resolveVars({ declared, cli: {}, web: {}, env: {}, parent: () => undefined, ...changes });

describe("a variable", () => {
  test("comes from the first of its sources that has it, then from its default", () => {
    const declared = { key: declare({ sources: ["env", "cli", "parent"], default: "fallback" }) };
    const parent = (): RunVar => ({ source: "cli", value: "inherited" });
    expect(resolve(declared, { cli: { key: "given" }, env: { KEY: "set" }, parent })).toEqual({
      key: { source: "env", envName: "KEY", type: "string" },
    });
    expect(resolve(declared, { cli: { key: "given" }, parent }).key).toEqual({ source: "cli", value: "given" });
    expect(resolve(declared, { parent }).key).toEqual({ source: "parent", value: "inherited" });
    expect(resolve(declared).key).toEqual({ source: "default", value: "fallback" });
    expect(resolve({ key: declare() })).toEqual({});
  });

  test("R-52 inherited from a parent's environment stays a reference", () => {
    const parent = (): RunVar => ({ source: "env", envName: "TOKEN", type: "string" });
    expect(resolve({ key: declare({ sources: ["parent"] }) }, { parent }).key).toEqual(parent());
  });

  test.each([
    ["number", "12", 12],
    ["boolean", "false", false],
    ["string", "12", "12"],
    ["enum", "low", "low"],
  ] as const)("of type %s is one, however it is written", (type, given, value) => {
    expect(resolve({ key: declare({ type, values: ["low"] }) }, { cli: { key: given } }).key).toEqual({
      source: "cli",
      value,
    });
  });

  test.each([
    ["number", "twelve", /must be a number, not "twelve"/],
    ["number", "", /must be a number/],
    ["boolean", "yes", /must be true or false/],
    ["enum", "lwo", /must be one of low, high/],
  ] as const)("of type %s that is none is an error", async (type, given, message) => {
    const error = await thrown(() =>
      resolve({ key: declare({ type, values: ["low", "high"] }) }, { cli: { key: given } }),
    );
    expect(error.code).toBe("HF1011");
    expect(error.message).toMatch(message);
  });

  test("from the environment has its type too, and is checked when the run is made", async () => {
    const declared = { key: declare({ type: "number", sources: ["env"] }) };
    const vars = resolve(declared, { env: { KEY: "5" } });
    expect(valuesOf(vars, { KEY: "7" })).toEqual({ key: 7 });
    expect(await thrown(() => resolve(declared, { env: { KEY: "five" } }))).toMatchObject({ code: "HF1011" });
  });

  test("that nobody declared, or that is not taken from there, is an error with the nearest name", async () => {
    const declared = { ticket: declare(), token: declare({ sources: ["env"] }) };
    expect(await thrown(() => resolve(declared, { cli: { tiket: "1" } }))).toMatchObject({
      fix: "did you mean ticket?",
    });
    expect(await thrown(() => resolve(declared, { cli: { token: "x" } }))).toMatchObject({ fix: "it comes from env" });
  });

  test("R-20 that is required must be there at the start, or once prepare is over", async () => {
    expect(await thrown(() => resolve({ key: declare({ required: true }) }))).toMatchObject({
      message: "variable key has no value",
      fix: "give it with --var key=…, or the form on the web page",
    });
    const declared = { key: declare({ required: true, requiredAt: "prepare", type: "number" }) };
    const vars = resolve(declared);
    expect(await thrown(() => checkRequired(declared, vars, "prepare"))).toMatchObject({
      message: "variable key has no value; no prepare hook set it",
    });
    const set: Record<string, RunVar> = {
      key: { source: "prepare", value: "3" },
      other: { source: "prepare", value: "x" },
    };
    checkRequired(declared, { ...vars, ...set }, "prepare");
    expect(typedVars(set, declared)).toEqual({ ...set, key: { source: "prepare", value: 3 } });
    expect(await thrown(() => typedVars({ key: { source: "prepare", value: "three" } }, declared))).toMatchObject({
      code: "HF1011",
    });
  });

  test("RB-9 from the environment is shown by name only", () => {
    const vars = resolve(
      { key: declare({ sources: ["env"] }), b: declare({ default: "x" }) },
      { env: { KEY: "s3cret" } },
    );
    expect(JSON.stringify([vars, shownVars(vars)])).not.toContain("s3cret");
    expect(shownVars(vars)).toEqual({ key: "${KEY}", b: "x" });
  });
});

describe("{{key}}", () => {
  const values = { ticket: "SHOP-1", count: 3, late: null };

  test("is filled in, whatever its type; a declared one without a value is empty", () => {
    expect(fillTemplate("{{ticket}} {{ count }} [{{late}}]", values)).toBe("SHOP-1 3 []");
  });

  test("that is unknown is an error everywhere, with the nearest name", async () => {
    expect(await thrown(() => fillTemplate("{{tickets}}", values))).toMatchObject({
      code: "HF1010",
      message: "unknown key {{tickets}}",
      fix: "did you mean {{ticket}}?",
    });
  });

  test("after a backslash is meant as it stands; other braces are no keys", () => {
    expect(fillTemplate("\\{{ticket}} {{#if x}} { {ticket} }", values)).toBe("{{ticket}} {{#if x}} { {ticket} }");
  });

  test("that prepare is still to set is left for it", () => {
    expect(fillKnown("{{ticket}} in {{worktree_path}} [{{late}}]", values)).toBe("SHOP-1 in {{worktree_path}} []");
  });

  test("what was filled in is not looked at again", () => {
    expect(fillTemplate("{{a}}", { a: "{{b}}", b: "secret" })).toBe("{{b}}");
  });
});
