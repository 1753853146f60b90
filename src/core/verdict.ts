import type { Effect } from "./effect.ts";
import { type Answer, type EventName, eventRow } from "./event.ts";
import { HookFailure } from "./failure.ts";
import type { Json, JsonObject } from "./json.ts";

/** What a hook thinks of an event. `rule` names the rule inside a hook that has several. */
export type Opinion =
  | { readonly kind: "none" }
  | { readonly kind: "allow"; readonly reason?: string }
  | { readonly kind: "ask"; readonly reason: string; readonly rule?: string }
  | { readonly kind: "block"; readonly reason: string; readonly rule?: string }
  | { readonly kind: "continue"; readonly reason: string }
  | { readonly kind: "halt"; readonly reason: string }
  | { readonly kind: "reinvoke"; readonly prompt: string };

export interface Verdict {
  readonly opinion: Opinion;
  /** The whole new tool input, tool output, or the changed fields of a delegation. */
  readonly rewrite?: Json;
  /** Texts for the model. */
  readonly context?: readonly string[];
  readonly effects?: readonly Effect[];
  /** Changes to a run, for the run's own events. */
  readonly mutate?: JsonObject;
}

export const NO_OPINION: Verdict = { opinion: { kind: "none" } };

/** Weakest to strongest. A decision is the strongest opinion, whatever the order of hooks. */
export const STRENGTH: readonly Opinion["kind"][] = ["none", "allow", "ask", "continue", "halt", "reinvoke", "block"];

export const strength = (opinion: Opinion): number => STRENGTH.indexOf(opinion.kind);

/** The answers a verdict makes use of. */
export function answersOf(verdict: Verdict): Answer[] {
  const answers: Answer[] = verdict.opinion.kind === "none" ? [] : [verdict.opinion.kind];
  if (verdict.rewrite !== undefined) answers.push("rewrite");
  if (verdict.context?.length) answers.push("context");
  if (verdict.mutate) answers.push("mutate");
  return answers;
}

/** A verdict that says what its event cannot express is a failure of the hook, never quietly dropped. */
export function assertExpressible(verdict: Verdict, event: EventName): void {
  if (verdict === NO_OPINION) return;
  const { answers } = eventRow(event);
  const wrong = answersOf(verdict).filter((answer) => !answers.includes(answer));
  if (wrong.length === 0) return;
  const can = answers.length ? `it can answer ${answers.join(", ")}` : "it can only observe";
  throw new HookFailure("invalid-answer", `answered ${wrong.join(" and ")} to ${event}; ${can}`);
}
