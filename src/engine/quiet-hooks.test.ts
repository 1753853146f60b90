import fc from "fast-check";
import { expect, it } from "vitest";
import { redactJson } from "../core/redact.ts";
import { QuietHooks } from "./quiet-hooks.ts";

const written = (times: Readonly<Record<string, number>>) => {
  const quiet = new QuietHooks();
  for (const [hook, ms] of Object.entries(times)) quiet.add(hook, ms);
  return quiet.json();
};

it("is what the journal would have made of an object with the names and times", () => {
  const name = fc.oneof(fc.string(), fc.constantFrom("loops", "api-token", 'a "b"', "AKIAIOSFODNN7EXAMPLE", "x:0"));
  const time = fc.oneof(
    fc.integer({ min: 0, max: 3_000_000 }).map((us) => us / 1000),
    fc.double({ min: 0, noNaN: true }),
  );
  fc.assert(
    fc.property(fc.dictionary(name, time, { noNullPrototype: true }), (times) => {
      expect(written(times)).toBe(JSON.stringify(redactJson(times)));
    }),
  );
  expect(written({})).toBe("{}");
});

it("a name that is a secret is not written down, nor is the number under a name that is a secret's", () => {
  expect(written({ "hook of AKIAIOSFODNN7EXAMPLE": 0.001 })).not.toContain("AKIA");
  expect(written({ "api-token": 0.001 })).toBe('{"api-token":"[redacted:field]"}');
});
