import fc from "fast-check";
import { expect, it } from "vitest";
import { copierOf } from "./module-copy.ts";

/** Every object and list in it, itself included. */
function partsOf(value: unknown): object[] {
  if (typeof value !== "object" || value === null) return [];
  return [value, ...Object.values(value).flatMap(partsOf)];
}

it("each copy is like the value, and shares no part with it or with another copy", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const copy = copierOf(value);
      const [first, second] = [copy(), copy()];
      expect([first, second]).toEqual([value, value]);
      expect(JSON.stringify(first)).toBe(JSON.stringify(value));
      const parts = [value, first, second].flatMap(partsOf);
      expect(new Set(parts).size).toBe(parts.length);
    }),
  );
});

it.each([
  ["many parts", Array.from({ length: 100 }, (_, id) => ({ id, tags: ["a", { b: id }] }))],
  ["parts within parts", JSON.parse(`${'{"a":'.repeat(2_000)}1${"}".repeat(2_000)}`)],
])("the same of %s", (_name, value) => {
  const copy = copierOf(value);
  const [first, second] = [copy(), copy()];
  expect([JSON.stringify(first), JSON.stringify(second)]).toEqual([JSON.stringify(value), JSON.stringify(value)]);
  const parts = [value, first, second].flatMap(partsOf);
  expect(new Set(parts).size).toBe(parts.length);
});

it("what is done to one copy is not seen in the next", () => {
  const copy = copierOf({ tool: { input: { command: "ls", env: [{ A: "1" }] } } });
  const spoilt = copy();
  spoilt.tool.input.command = "rm -rf /";
  spoilt.tool.input.env.push({ A: "2" });
  (spoilt.tool.input.env[0] as { A: string }).A = "3";
  expect(copy()).toEqual({ tool: { input: { command: "ls", env: [{ A: "1" }] } } });
});

it("a key that names the prototype stays a key", () => {
  const value = JSON.parse('{"__proto__":{"isAdmin":true},"list":[{"__proto__":[1]}]}');
  const copied = copierOf(value)();
  expect(Object.getPrototypeOf(copied)).toBe(Object.prototype);
  expect(copied.isAdmin).toBeUndefined();
  expect(JSON.stringify(copied)).toBe(JSON.stringify(value));
});
