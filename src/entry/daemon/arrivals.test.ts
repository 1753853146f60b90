import { setImmediate as turn } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Arrivals, type Moment } from "./arrivals.ts";

/** A call that arrived; what it holds is filled in when it is to be judged. */
function arrive(arrivals: Arrivals, bytes = 100): { moment?: Moment } {
  const call: { moment?: Moment } = {};
  arrivals.arrived();
  void arrivals.join(bytes).then((moment) => {
    call.moment = moment;
  });
  return call;
}

function connect(arrivals: Arrivals, count = 1): void {
  for (let index = 0; index < count; index++) arrivals.connected();
}

describe("a call", () => {
  test("that is alone is judged in the turn in which it came", async () => {
    const arrivals = new Arrivals();
    connect(arrivals);
    const call = arrive(arrivals);
    await turn();
    expect(call.moment).toBeDefined();
  });

  test("waits for one that is on its way, and shares its moment", async () => {
    const arrivals = new Arrivals();
    connect(arrivals, 2);
    const first = arrive(arrivals);
    await turn();
    expect(first.moment).toBeUndefined();
    const second = arrive(arrivals);
    await turn();
    expect(first.moment).toBeDefined();
    expect(second.moment).toBe(first.moment);
  });

  test("that came later has a moment of its own", async () => {
    const arrivals = new Arrivals();
    connect(arrivals);
    const first = arrive(arrivals);
    await turn();
    connect(arrivals);
    const second = arrive(arrivals);
    await turn();
    expect(second.moment).toBeDefined();
    expect(second.moment).not.toBe(first.moment);
  });

  test("waits a single turn for clients that connect and say nothing", async () => {
    const arrivals = new Arrivals();
    connect(arrivals, 5);
    for (let count = 0; count < 3; count++) {
      connect(arrivals);
      const call = arrive(arrivals);
      await turn();
      await turn();
      expect(call.moment).toBeDefined();
    }
  });

  test("is judged though clients keep coming and going without a word", async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 0, max: 4 }), async (coming, going) => {
        const arrivals = new Arrivals();
        connect(arrivals);
        const call = arrive(arrivals);
        for (let turns = 0; turns < 40; turns++) {
          connect(arrivals, coming);
          for (let gone = 0; gone < Math.min(coming - 1, going); gone++) arrivals.arrived();
          await turn();
        }
        expect(call.moment).toBeDefined();
      }),
    );
  });

  test.each([
    ["sixteen calls", 100, 16],
    ["a large one", 64 * 1024, 1],
  ])("waits for no more than %s", async (_name, bytes, count) => {
    const arrivals = new Arrivals();
    connect(arrivals, 50);
    const calls = Array.from({ length: count }, () => arrive(arrivals, bytes));
    await turn();
    expect(new Set(calls.map(({ moment }) => moment)).size).toBe(1);
    expect(calls[0]?.moment).toBeDefined();
  });
});
