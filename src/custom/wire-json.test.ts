import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { JsonProblem, MAX_DEPTH, parseStrictJson } from "./wire-json.ts";

const outcome = (parse: () => unknown) => {
  try {
    return { value: parse() };
  } catch (error) {
    expect(error).toSatisfy((error) => error instanceof JsonProblem || error instanceof SyntaxError);
    return "rejected";
  }
};
const twiceOrTooMuch = (text: string) => {
  try {
    parseStrictJson(text);
    return false;
  } catch (error) {
    return /twice|too large|deeper/.test((error as Error).message);
  }
};

/** Texts made of JSON's own marks, so that many are nearly JSON and some are. */
const nearJson = fc
  .array(
    fc.constantFrom(...'{}[]:,"\\ \n\t-+.eE019', '"a"', '"\\u0061"', "true", "false", "null", "\u00a0", "\u0001", "x"),
    {
      maxLength: 12,
    },
  )
  .map((parts) => parts.join(""));

describe("strict JSON", () => {
  it("Q-32 accepts what JSON.parse accepts and gives the same value", () => {
    fc.assert(
      fc.property(fc.json(), fc.constantFrom("", " ", "\n\t"), (text, space) => {
        expect(parseStrictJson(space + text + space)).toStrictEqual(JSON.parse(text));
      }),
      { numRuns: 500 },
    );
  });

  it("Q-32 rejects what JSON.parse rejects, on texts that are nearly JSON", () => {
    fc.assert(
      fc.property(nearJson, (text) => {
        if (twiceOrTooMuch(text)) return;
        expect(outcome(() => parseStrictJson(text))).toEqual(outcome(() => JSON.parse(text)));
      }),
      { numRuns: Number(process.env.HOLDFAST_FUZZ_RUNS ?? 4_000) },
    );
  });

  it("Q-32 rejects damaged JSON as JSON.parse does", () => {
    const damaged = fc.tuple(fc.json(), fc.nat(), fc.nat({ max: 3 }), nearJson);
    fc.assert(
      fc.property(damaged, ([json, at, cut, put]) => {
        const place = at % (json.length + 1);
        const text = json.slice(0, place) + put.slice(0, 2) + json.slice(place + cut);
        if (twiceOrTooMuch(text)) return;
        expect(outcome(() => parseStrictJson(text))).toEqual(outcome(() => JSON.parse(text)));
      }),
      { numRuns: 3000 },
    );
  });

  it.each([
    ['{"a":1,"a":2}', "twice", 7],
    ['{"a":1,"\\u0061":2}', "twice", 7],
    ['{"x":[{"b":1,"b":1}]}', "twice", 13],
    ['{"a":1e999}', "too large", 5],
    ["{} done", "after the end", 3],
    ['{"a" 1}', 'expected a ":"', 5],
    ['{"a":"x', "does not end", 5],
    ['{"a":"\n"}', "line break", 5],
    ["", "found the end", 0],
    [`${"[".repeat(MAX_DEPTH + 2)}`, "deeper", MAX_DEPTH + 1],
  ])("says what is wrong with %j, and where", (text, message, position) => {
    expect(() => parseStrictJson(text)).toThrow(
      expect.objectContaining({ message: expect.stringContaining(message), position }),
    );
  });

  it("keeps a key named __proto__ as data", () => {
    const value = parseStrictJson('{"__proto__":{"a":1}}') as object;
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(Object.keys(value)).toEqual(["__proto__"]);
  });

  it("reads a mebibyte of anything without running out of stack", () => {
    for (const text of ["1".repeat(2 ** 20), "[".repeat(2 ** 20), `"${"\\n".repeat(2 ** 19)}"`, " ".repeat(2 ** 20)]) {
      outcome(() => parseStrictJson(text));
    }
  });
});
