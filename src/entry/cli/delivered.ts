/** What an agent is told of a decision, where its host cannot be told the decision itself: in `delivered`, as in the audit. */
import type { Opinion } from "../../core/verdict.ts";
import { deliver, strongest } from "../../hosts/delivery.ts";
import type { Outcome, Support } from "../../hosts/host.ts";

/** Undefined: what was decided. */
export function deliveredOf(
  outcomes: readonly Outcome[],
  support: Support,
  decided: Opinion["kind"],
): Opinion["kind"] | undefined {
  const { kind } = strongest(outcomes.map((outcome) => deliver(outcome, support)));
  return kind === decided ? undefined : kind;
}

/** Why the host is told something else, and what it cannot be told at all. */
export function hostTexts(outcome: Outcome, support: Support): readonly string[] {
  const { reasons, instructions, undelivered } = deliver(outcome, support);
  const added = reasons.filter((reason) => !outcome.decision.reasons.includes(reason));
  return [...added.map(({ text }) => text), ...instructions, ...undelivered];
}

export const deliveredWords = (delivered: string) => `delivered as ${delivered}`;
