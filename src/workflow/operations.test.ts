import { describe, expect, it } from "vitest";
import { addBlocker, advancePhase, initState, resolveBlocker, transition } from "./operations.ts";
import type { State } from "./state.ts";
import { STEP_NAMES, type Step } from "./step.ts";
import { AT, LATER, ok, problemOf, SHOP } from "./workflow.fixture.ts";

const EDGES = [
  "specced discussed",
  "specced designed",
  "discussed designed",
  "designed planned",
  "planned executing",
  "executing executed",
  "executed complete",
  "complete shipped",
  "shipped specced",
  "blocked specced",
  "blocked designed",
  "blocked planned",
  "blocked executed",
];

const initial = ok(initState(SHOP, AT));
const at = (step: Step, state: State = initial): State => ({ ...state, current: { ...state.current, step } });
const blocked = (state: State, reason: string, phase?: string) => ok(addBlocker(state, { reason, phase }, LATER));

describe("steps", () => {
  it("K-36 there are nine", () => {
    expect(STEP_NAMES).toHaveLength(9);
  });

  it("K-36 exactly the 13 edges are allowed, of all 81 pairs", () => {
    const allowed = STEP_NAMES.flatMap((from) =>
      STEP_NAMES.filter((to) => !("error" in transition(at(from), { step: to }, LATER))).map((to) => `${from} ${to}`),
    );
    expect(allowed.sort()).toEqual([...EDGES].sort());
  });

  it("K-36 an unknown step is another error than an illegal edge, lists the steps and the nearest name", () => {
    const unknown = problemOf(transition(initial, { step: "desinged" }, LATER));
    expect(unknown.code).toBe("UNKNOWN_STEP");
    expect(unknown.message).toContain("Did you mean designed?");
    for (const step of STEP_NAMES) expect(unknown.message.includes(step)).toBe(step !== "blocked");
    const illegal = problemOf(transition(initial, { step: "shipped" }, LATER));
    expect(illegal.code).toBe("INVALID_TRANSITION");
    expect(illegal.message).toContain("Next may come: discussed or designed.");
  });

  it("K-36 a name every object has is no step", () => {
    for (const step of ["constructor", "__proto__", "toString", "", "Specced"])
      expect(problemOf(transition(initial, { step }, LATER)).code).toBe("UNKNOWN_STEP");
  });

  it("K-36 resuming is no transition, and the refusal says what to do", () => {
    const resumed = problemOf(transition(at("executing"), { step: "executing" }, LATER));
    expect(resumed.code).toBe("INVALID_TRANSITION");
    expect(resumed.message).toContain("plans_list");
  });

  it("K-36 no step leads to blocked, and the refusal names the tool that blocks", () => {
    for (const from of STEP_NAMES)
      expect(problemOf(transition(at(from), { step: "blocked" }, LATER)).message).toContain("state_add_blocker");
  });
});

describe("init", () => {
  it("K-37 the first state is specced, idle and counts from nothing", () => {
    expect(initial).toEqual({
      project: { name: "shop", initialized: AT },
      current: { phase: "01-login", step: "specced", status: "idle", plan: "", wave: 0 },
      progress: { phases_total: 3, phases_complete: 0, current_phase_plans: 0, current_phase_plans_complete: 0 },
      metrics: { last_activity: AT, total_agent_sessions: 1 },
      blockers: [],
    });
  });

  it.each(["", ".", "..", "../x", "a/b", "a\\b", "a..b", ".hidden", "x.", "a b", "a\nb", "a\0", "x".repeat(65), "-rf"])(
    "a phase is a plain file name: %j is refused",
    (phase) => {
      expect(problemOf(initState({ ...SHOP, phase }, AT)).code).toBe("INVALID_PHASE");
      expect(problemOf(transition(initial, { step: "designed", phase }, AT)).code).toBe("INVALID_PHASE");
      expect(problemOf(advancePhase(at("shipped"), { phase, phases_total: 1 }, AT)).code).toBe("INVALID_PHASE");
      expect(problemOf(addBlocker(initial, { phase, reason: "x" }, AT)).code).toBe("INVALID_PHASE");
    },
  );

  it.each(["1", "01", "01-login", "v1.2", "größe", "登录", "a_b"])("%j names a phase", (phase) => {
    expect(ok(initState({ ...SHOP, phase }, AT)).current.phase).toBe(phase);
  });

  it("empty names and odd counts are refused", () => {
    expect(problemOf(initState({ ...SHOP, name: "  " }, AT)).code).toBe("INVALID_INPUT");
    for (const phases_total of [-1, 1.5, Number.NaN, 1e9])
      expect(problemOf(initState({ ...SHOP, phases_total }, AT)).code).toBe("INVALID_INPUT");
  });
});

describe("transition", () => {
  it("K-38 sets step, idle and last activity, and the phase where one is given", () => {
    const moved = ok(transition(initial, { step: "designed", phase: "01b" }, LATER));
    expect(moved.current).toEqual({ ...initial.current, step: "designed", phase: "01b" });
    expect(moved.metrics.last_activity).toBe(LATER);
    expect(moved.progress).toEqual(initial.progress);
  });

  it("K-38 shipped to specced with a phase completes one and zeroes the plan counters", () => {
    const shipped = at("shipped", {
      ...initial,
      progress: { phases_total: 3, phases_complete: 1, current_phase_plans: 4, current_phase_plans_complete: 4 },
    });
    expect(ok(transition(shipped, { step: "specced", phase: "02" }, LATER)).progress).toEqual({
      phases_total: 3,
      phases_complete: 2,
      current_phase_plans: 0,
      current_phase_plans_complete: 0,
    });
    expect(ok(transition(shipped, { step: "specced" }, LATER)).progress).toEqual(shipped.progress);
  });

  it("an open blocker of the phase refuses every step and is named", () => {
    const problem = problemOf(transition(blocked(initial, "no API key"), { step: "designed" }, LATER));
    expect(problem.code).toBe("OPEN_BLOCKERS");
    expect(problem.message).toContain("no API key");
    expect(problem.message).toContain("state_resolve_blocker");
  });

  it("a blocker of another phase does not stop this one; the status says blocked until it is resolved", () => {
    const moved = ok(transition(blocked(initial, "no API key", "02"), { step: "designed" }, LATER));
    expect(moved.current).toMatchObject({ step: "designed", status: "blocked" });
  });
});

describe("blockers", () => {
  it("K-39 adding one appends it with the current step and blocks; the last activity stays", () => {
    const state = blocked(at("planned"), " no API key ");
    expect(state.blockers).toEqual([
      { phase: "01-login", step: "planned", reason: "no API key", timestamp: LATER, resolved: false },
    ]);
    expect(state.current.status).toBe("blocked");
    expect(state.metrics.last_activity).toBe(AT);
  });

  it("K-39 resolving takes the first open one of that phase; a partial resolution stays blocked", () => {
    const three = ["one", "two"].reduce((state, reason) => blocked(state, reason), blocked(initial, "zero", "02"));
    const first = ok(resolveBlocker(three, { phase: "01-login" }));
    expect(first.blockers.map(({ resolved }) => resolved)).toEqual([false, true, false]);
    expect(first.current.status).toBe("blocked");
    const second = ok(resolveBlocker(first, {}));
    expect(second.current.status).toBe("blocked");
    const third = ok(resolveBlocker(second, { phase: "02" }));
    expect(third.current.status).toBe("idle");
    expect(third.blockers).toHaveLength(3);
  });

  it("one of several can be resolved by its reason", () => {
    const two = blocked(blocked(initial, "one"), "two");
    expect(ok(resolveBlocker(two, { reason: "two" })).blockers.map(({ resolved }) => resolved)).toEqual([false, true]);
    expect(problemOf(resolveBlocker(two, { reason: "three" })).message).toContain("01-login: one");
  });

  it("K-39 with nothing open there is nothing to resolve", () => {
    expect(problemOf(resolveBlocker(initial, { phase: "01-login" })).code).toBe("BLOCKER_NOT_FOUND");
  });

  it("a blocker needs a reason", () => {
    for (const reason of ["", "  \n", "x".repeat(2001)])
      expect(problemOf(addBlocker(initial, { reason }, AT)).code).toBe("INVALID_INPUT");
  });
});

describe("advancing", () => {
  const shipped = at("shipped", ok(resolveBlocker(blocked(initial, "was settled"), {})));

  it("K-40 begins the next phase and keeps the initialised date, the sessions and the blockers", () => {
    const next = ok(advancePhase(shipped, { phase: "02-cart", phases_total: 5 }, LATER));
    expect(next).toEqual({
      project: initial.project,
      current: { phase: "02-cart", step: "specced", status: "idle", plan: "", wave: 0 },
      progress: { phases_total: 5, phases_complete: 1, current_phase_plans: 0, current_phase_plans_complete: 0 },
      metrics: { last_activity: LATER, total_agent_sessions: 1 },
      blockers: shipped.blockers,
    });
  });

  it.each(STEP_NAMES.filter((step) => step !== "shipped"))("K-40 is refused from %s", (step) => {
    expect(problemOf(advancePhase(at(step), { phase: "02", phases_total: 3 }, LATER)).code).toBe("INVALID_TRANSITION");
  });

  it("the phase that was just shipped is not the next one", () => {
    expect(problemOf(advancePhase(shipped, { phase: "01-login", phases_total: 3 }, LATER)).code).toBe("INVALID_PHASE");
  });

  it("is refused while the shipped phase is blocked, not by a blocker of the next", () => {
    const own = blocked(shipped, "rollback pending");
    expect(problemOf(advancePhase(own, { phase: "02", phases_total: 3 }, LATER)).code).toBe("OPEN_BLOCKERS");
    const next = ok(advancePhase(blocked(shipped, "no key", "02"), { phase: "02", phases_total: 3 }, LATER));
    expect(next.current).toMatchObject({ phase: "02", step: "specced", status: "blocked" });
  });
});
