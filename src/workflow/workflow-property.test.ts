import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { addBlocker, advancePhase, initState, resolveBlocker, transition } from "./operations.ts";
import { isProblem } from "./problem.ts";
import { openBlockers, readState, renderState, type State, type StateDocument } from "./state.ts";
import { nextSteps, STEP_NAMES } from "./step.ts";
import { AT, LATER, ok, SHOP } from "./workflow.fixture.ts";

const phase = fc.oneof(fc.constantFrom("01-login", "02", "03.b"), fc.constantFrom("../x", "", "a/b"), fc.string());
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const reason = fc.oneof(fc.string({ unit: "binary" }), fc.string({ unit: "grapheme" }), fc.constant("the same"));

type Operation = (state: State) => ReturnType<typeof transition>;

const operation: fc.Arbitrary<readonly [string, Operation]> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.tuple(fc.nat(), maybe(phase)).map(([pick, to]) => ["legal move", legalMove(pick, to)] as const),
  },
  fc
    .record({ step: fc.oneof(fc.constantFrom(...STEP_NAMES), fc.string()), phase: maybe(phase) })
    .map((request) => ["transition", (state: State) => transition(state, request, LATER)] as const),
  fc
    .record({ reason, phase: maybe(phase) })
    .map((request) => ["block", (state: State) => addBlocker(state, request, LATER)] as const),
  {
    weight: 2,
    arbitrary: fc
      .record({ reason: maybe(reason), phase: maybe(phase) })
      .map((request) => ["unblock", (state: State) => resolveBlocker(state, request)] as const),
  },
  fc
    .record({ phase, phases_total: fc.oneof(fc.nat(20), fc.double()) })
    .map((request) => ["advance", (state: State) => advancePhase(state, request, LATER)] as const),
);

function legalMove(pick: number, to: string | undefined): Operation {
  return (state) => {
    const steps = nextSteps(state.current.step);
    return transition(state, { step: steps[pick % steps.length] as string, phase: to }, LATER);
  };
}

/** What every operation must keep, whatever came before it. */
function assertLaws(name: string, before: State, after: State): void {
  const moved = after.current.step !== before.current.step;
  if (moved) expect(nextSteps(before.current.step)).toContain(after.current.step);
  if (moved) expect(openBlockers(before).filter((blocker) => blocker.phase === before.current.phase)).toEqual([]);
  expect(after.current.step).not.toBe("blocked");
  expect(after.current.status).toBe(openBlockers(after).length > 0 ? "blocked" : "idle");

  expect(after.blockers.length - before.blockers.length).toBe(name === "block" ? 1 : 0);
  const changed = before.blockers.filter((blocker, index) => after.blockers[index]?.resolved !== blocker.resolved);
  expect(changed).toHaveLength(name === "unblock" ? 1 : 0);
  expect(after.blockers.slice(0, before.blockers.length).map(identity)).toEqual(before.blockers.map(identity));

  expect(after.progress.phases_complete - before.progress.phases_complete).toBe(
    before.current.step === "shipped" && after.current.phase !== before.current.phase ? 1 : 0,
  );
  expect(after.project).toEqual(before.project);
}

const identity = ({ resolved: _, ...blocker }: State["blockers"][number]) => blocker;

describe("any sequence of operations", () => {
  it("keeps the laws, and the file reads back as the state that was written", () => {
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 40 }), (operations) => {
        let document: StateDocument = { table: { mine: { kept: true } }, state: ok(initState(SHOP, AT)) };
        for (const [name, perform] of operations) {
          const state = perform(document.state);
          if (isProblem(state)) {
            expect(state.message.length).toBeGreaterThan(10);
            continue;
          }
          assertLaws(name, document.state, state);
          const read = ok(readState(ok(renderState({ table: document.table, state }))));
          expect(read.state).toEqual(wellFormed(state));
          expect(read.table.mine).toEqual({ kept: true });
          document = read;
        }
      }),
      { numRuns: 400 },
    );
  });

  it("reaches every step but blocked", () => {
    const seen = new Set<string>();
    fc.assert(
      fc.property(fc.array(fc.nat(), { minLength: 20, maxLength: 20 }), (picks) => {
        let state = ok(initState(SHOP, AT));
        for (const pick of picks) {
          seen.add(state.current.step);
          state = ok(legalMove(pick, undefined)(state)) as State;
        }
      }),
    );
    expect([...seen].sort()).toEqual(STEP_NAMES.filter((step) => step !== "blocked").sort());
  });
});

/** Half a surrogate pair cannot be said in UTF-8; it is written as the replacement character. */
function wellFormed(state: State): State {
  return JSON.parse(JSON.stringify(state), (_, value) =>
    typeof value === "string" ? Buffer.from(value, "utf8").toString("utf8") : value,
  );
}
