import { expect, test } from "vitest";
import type { Plan } from "../config/plan.ts";
import { lender } from "./kept-engines.ts";
import type { ReadyEngine } from "./ready.ts";

const engine = {
  plan: { watched: {}, environment: {} } as unknown as Plan,
  remarks: ["cut off"],
  close: async () => {},
};

test("what went wrong on the way to an engine is told by the first call that asks for it, and by no other", () => {
  const lend = lender(engine as unknown as ReadyEngine);
  const [unasked, first, second] = [lend(), lend(), lend()];
  void unasked.close();
  expect([first.remarks, first.remarks, second.remarks]).toEqual([["cut off"], ["cut off"], []]);
});
