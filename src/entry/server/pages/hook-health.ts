/** What each hook did in a list of decisions. */
import type { AuditRow } from "../../../approvals/store.ts";
import { type AuditDetails, auditDetails, type HookStep } from "./audit-details.ts";

/** A row with what is in its record, read once. */
export interface RecordedDecision extends Pick<AuditRow, "at" | "session"> {
  readonly details: AuditDetails;
}

export const recordedDecision = (row: AuditRow): RecordedDecision => ({
  at: row.at,
  session: row.session,
  details: auditDetails(row),
});

export interface HookHealth {
  readonly name: string;
  readonly asked: number;
  readonly blocked: number;
  readonly failed: number;
  readonly medianMs: number;
  readonly longestMs: number;
}

/** Those that failed first, then by how often they were asked. */
export function hookHealth(decisions: readonly RecordedDecision[]): HookHealth[] {
  const steps = new Map<string, HookStep[]>();
  for (const step of decisions.flatMap(({ details }) => details.hooks)) {
    const known = steps.get(step.hook);
    if (known) known.push(step);
    else steps.set(step.hook, [step]);
  }
  return [...steps].map(([name, all]) => healthOf(name, all)).sort((a, b) => b.failed - a.failed || b.asked - a.asked);
}

function healthOf(name: string, steps: readonly HookStep[]): HookHealth {
  const times = steps.map(({ ms }) => ms).sort((a, b) => a - b);
  return {
    name,
    asked: steps.length,
    blocked: steps.filter(({ opinion }) => opinion === "block").length,
    failed: steps.filter(({ failure }) => failure !== "").length,
    medianMs: times[Math.floor(times.length / 2)] ?? 0,
    longestMs: times.at(-1) ?? 0,
  };
}

const MAX_FAILURES = 20;

export function recentFailures(decisions: readonly RecordedDecision[]) {
  return decisions
    .flatMap(({ at, session, details }) =>
      details.hooks
        .filter(({ failure }) => failure !== "")
        .map(({ hook, failure }) => ({ at, session, hook, failure })),
    )
    .slice(0, MAX_FAILURES);
}
