import { expect, test } from "vitest";
import { placesOf } from "../config/places.ts";
import type { Plan } from "../config/plan.ts";
import { lender } from "./kept-engines.ts";
import { engineOf } from "./ready.ts";

const NOWHERE = "/nowhere";
const plan = { root: NOWHERE, hooks: [], files: [], errors: [], watched: {}, environment: {}, settings: {} };

test("what went wrong on the way to an engine is told by the first call that asks for it, a copy's too", async () => {
  const env = { HOME: NOWHERE };
  const made = { plan: plan as unknown as Plan, remarks: ["cut off"], places: placesOf(env), env, distDir: NOWHERE };
  const lend = lender(await engineOf(made, {}));
  const [unasked, first, second] = [lend(), { ...lend() }, lend()];
  await unasked.close();
  expect([first.takeRemarks(), second.takeRemarks()]).toEqual([["cut off"], []]);
});
