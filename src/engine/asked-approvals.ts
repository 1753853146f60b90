/** Which approvals a decision waits for. On the hot path: it only looks. */
import { APPROVALS_HOOK, APPROVALS_PREFIX, type ApprovalRule } from "../core/approval-rule.ts";
import type { Decision } from "../core/decision.ts";
import type { Hook } from "../core/hook.ts";
import type { Outcome } from "../hosts/host.ts";

export interface AskedApproval {
  readonly hook: string;
  readonly rule: ApprovalRule;
  readonly reason: string;
}

/** Nobody is asked about a call that is blocked anyway, nor about one where the rules only observe. */
export const needsApproval = (outcomes: readonly Outcome[], hooks: readonly Hook[]): boolean =>
  outcomes.every(({ decision }) => decision.kind !== "block") &&
  outcomes.some(({ decision }) => decision.kind === "ask" && askedApprovals(decision, hooks).length > 0);

export function askedApprovals({ trace }: Decision, hooks: readonly Hook[]): AskedApproval[] {
  return trace.flatMap((step): AskedApproval[] => {
    const { opinion, observed } = step;
    if (observed || opinion?.kind !== "ask" || !opinion.rule?.startsWith(APPROVALS_PREFIX)) return [];
    const hook = hooks.find((known) => isApprovals(known) && known.name === step.hook && known.layer === step.layer);
    const rules = (hook?.options?.rules ?? []) as unknown as readonly ApprovalRule[];
    const name = opinion.rule.slice(APPROVALS_PREFIX.length);
    const rule = rules.find((candidate) => candidate.name === name);
    return rule ? [{ hook: step.hook, rule, reason: opinion.reason }] : [];
  });
}

export const isApprovals = ({ source, name, options }: Hook): boolean =>
  source === "builtin" &&
  (name === APPROVALS_HOOK || name.startsWith(`${APPROVALS_HOOK}-`)) &&
  Array.isArray(options?.rules);
