/** What becomes of a rule on a host, from the support tables alone. */
import { type Answer, type EventName, eventRow } from "../core/event.ts";
import type { Delivery, Host, SupportRow } from "./host.ts";

export const ENFORCEMENTS = ["enforced", "stricter", "partly", "observed", "never"] as const;

/**
 * enforced: as the rule says. stricter: as the nearest stronger answer. partly: only in some cases. observed: seen and
 * recorded, not enforced. never: the host has no such event.
 */
export type Enforcement = (typeof ENFORCEMENTS)[number];

/** An event and what a rule may say of it. */
export interface Say {
  readonly event: EventName;
  readonly answer: Answer;
}

export interface Enforced extends Say {
  readonly enforcement: Enforcement;
  /** What happens instead. */
  readonly note?: string;
}

export function enforcementOf({ support }: Pick<Host, "support">, { event, answer }: Say): Enforced {
  const row = support[event] as SupportRow | undefined;
  if (!row) return { event, answer, enforcement: "never", note: "the host has no such event" };
  return { event, answer, ...delivered(row.answers[answer]) };
}

function delivered(delivery: Delivery | undefined): Pick<Enforced, "enforcement" | "note"> {
  if (delivery === "native") return { enforcement: "enforced" };
  if (delivery === undefined) return { enforcement: "observed", note: "the host takes no such answer" };
  if ("partly" in delivery) return { enforcement: "partly", note: delivery.partly };
  if ("undelivered" in delivery) return { enforcement: "observed", note: delivery.undelivered };
  return delivery.becomes === "block"
    ? { enforcement: "stricter", note: `becomes a block: ${delivery.how}` }
    : { enforcement: "enforced", note: delivery.how };
}

/** One word for all that a rule may say: the weakest, because that is what a person can count on. */
export function weakest(parts: readonly Enforced[]): Enforcement {
  const ranks = parts.map(({ enforcement }) => ENFORCEMENTS.indexOf(enforcement));
  return ENFORCEMENTS[Math.max(0, ...ranks)] as Enforcement;
}

/** What a rule may say, event by event. A rule that says nothing only looks. */
export function saysOf(events: readonly EventName[], answers?: readonly Answer[]): Say[] {
  return events.flatMap((event) => {
    const possible: readonly Answer[] = eventRow(event).answers;
    return possible.filter((answer) => answers?.includes(answer) ?? true).map((answer) => ({ event, answer }));
  });
}
