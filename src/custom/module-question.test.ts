import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sampleEvent } from "../core/engine.fixture.ts";
import type { JsonObject } from "../core/json.ts";
import { Asker } from "./module-asker.ts";
import { patienceFor, Questions } from "./module-question.ts";
import { ENOUGH_MS } from "./module-turn.ts";

const asker = (lastMs: number) => {
  const made = new Asker({ file: "hooks.js", exportIndex: 0, pins: null, options: {}, timeoutMs: 1000 }, true);
  made.lastMs = lastMs;
  return made;
};

const quickMs = fc.double({ min: 0, max: 0.5, noNaN: true });

describe("hooks that were quick are slept for", () => {
  it("never longer than the worker goes on with one question, however many they are", () => {
    fc.assert(
      fc.property(fc.array(quickMs, { maxLength: 300 }), (times) => {
        expect(patienceFor(times.map(asker))).toBeLessThanOrEqual(ENOUGH_MS);
      }),
    );
    expect(patienceFor(Array.from({ length: 200 }, () => asker(0.5)))).toBe(ENOUGH_MS);
  });

  it("longer than they took together where that is less", () => {
    fc.assert(
      fc.property(fc.array(quickMs, { maxLength: 9 }), (times) => {
        expect(patienceFor(times.map(asker))).toBeGreaterThan(times.reduce((sum, ms) => sum + ms, 0));
      }),
    );
  });

  it.each([
    ["took long", 0.6],
    ["was never asked", Number.NaN],
  ])("not at all where one of them %s", (_name, lastMs) => {
    expect(patienceFor([asker(0.1), asker(lastMs)])).toBe(0);
  });
});

it("of a question that could not be put a worker is taken to know nothing: neither who was asked, nor hooks, nor files", () => {
  const questions = new Questions();
  const place = { exportIndex: 0, timeoutMs: 1000 };
  const known = new Asker({ ...place, file: "known.js", pins: null, options: {} }, true);
  questions.describe(1, known);
  questions.loaded(known);
  const pins = { "other.js": "digest" };
  const options: Record<string, unknown> = { most: 1n };
  const other = new Asker({ ...place, file: "other.js", pins, options: options as JsonObject }, true);
  const ask = () => JSON.parse(questions.judge(2, [known, other], { event: sampleEvent("stop"), now: 0 }));
  expect(ask).toThrow("BigInt");
  options.most = 1;
  expect(ask().asked).toEqual([
    { file: "known.js", realm: 0, exportIndex: 0, options: {}, number: known.number },
    { file: "other.js", realm: 1, pins, exportIndex: 0, options },
  ]);
  expect(ask()).not.toHaveProperty("asked");
});
