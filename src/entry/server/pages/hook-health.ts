/** What each hook did in a list of audit rows. */
import type { AuditRow } from "../../../approvals/store.ts";
import { auditDetails, type HookStep } from "./audit-details.ts";

export interface HookHealth {
  readonly name: string;
  readonly asked: number;
  readonly blocked: number;
  readonly failed: number;
  readonly medianMs: number;
  readonly longestMs: number;
}

/** Those that failed first, then by how often they were asked. */
export function hookHealth(rows: readonly AuditRow[]): HookHealth[] {
  const steps = new Map<string, HookStep[]>();
  for (const step of rows.flatMap((row) => auditDetails(row).hooks))
    steps.set(step.hook, [...(steps.get(step.hook) ?? []), step]);
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

export function recentFailures(rows: readonly AuditRow[]) {
  return rows
    .flatMap((row) =>
      auditDetails(row)
        .hooks.filter(({ failure }) => failure !== "")
        .map(({ hook, failure }) => ({ at: row.at, session: row.session, hook, failure })),
    )
    .slice(0, MAX_FAILURES);
}
