/** The steps of a phase and what may follow each. */
import { nearest } from "../core/nearest.ts";
import { Problem } from "./problem.ts";

export const STEPS = {
  specced: {
    next: ["discussed", "designed"],
    hint: "The phase is specified. Settle what is unclear (prompt discuss) or design it (prompt design).",
  },
  discussed: { next: ["designed"], hint: "The open questions are settled. Design the phase (prompt design)." },
  designed: { next: ["planned"], hint: "The design stands. Cut it into plans (prompt plan)." },
  planned: {
    next: ["executing"],
    hint: "The plans are written. Have them reviewed (prompt review), then carry them out (prompt exec).",
  },
  executing: {
    next: ["executed"],
    hint: "Plans are being carried out. Go on with the first one that plans_list shows as not complete (prompt exec).",
  },
  executed: {
    next: ["complete"],
    hint: "Every plan was carried out. Prove that the phase does what was asked (prompt verify).",
  },
  complete: { next: ["shipped"], hint: "The phase is proven. Ship it (prompt ship)." },
  shipped: {
    next: ["specced"],
    hint: "The phase is shipped. Start the next one with state_advance_phase, or reopen this one with state_transition to specced.",
  },
  // Nothing leads here: being blocked is a status. A file that says it anyway has these ways out.
  blocked: {
    next: ["specced", "designed", "planned", "executed"],
    hint: "Settle what blocks the phase, then go on with state_transition to specced, designed, planned or executed.",
  },
} as const satisfies Record<string, { next: readonly string[]; hint: string }>;

export type Step = keyof typeof STEPS;

export const STEP_NAMES = Object.keys(STEPS) as Step[];

export const isStep = (name: string): name is Step => Object.hasOwn(STEPS, name);

export const nextSteps = (step: Step): readonly Step[] => STEPS[step].next;

export function toStep(name: string): Step | Problem {
  if (isStep(name)) return name;
  const steps = STEP_NAMES.filter((step) => step !== "blocked");
  const meant = nearest(name, steps);
  return new Problem(
    "UNKNOWN_STEP",
    `There is no step "${name.slice(0, 80)}".${meant ? ` Did you mean ${meant}?` : ""} Steps: ${steps.join(", ")}.`,
  );
}

export function edge(from: Step, to: Step): Problem | undefined {
  if (nextSteps(from).includes(to)) return undefined;
  const allowed = nextSteps(from).join(" or ");
  return new Problem("INVALID_TRANSITION", `From ${from} to ${to} there is no way. ${advice(from, to, allowed)}`);
}

function advice(from: Step, to: Step, allowed: string): string {
  if (to === "blocked") return "Being blocked is a status: record what blocks the phase with state_add_blocker.";
  if (from === "executing" && to === "executing")
    return "The phase is executing already: to resume, call plans_list and go on with the first plan that is not complete.";
  if (from === to) return `The phase is at ${from} already. Next may come: ${allowed}.`;
  if (from === "complete" && to === "specced")
    return "Ship this phase first (state_transition to shipped), then call state_advance_phase.";
  return `Next may come: ${allowed}.`;
}
