/** What a hook of a run did, as the run's own log has it. */
import type { TraceStep } from "../../core/decision.ts";
import type { Hook } from "../../core/hook.ts";
import type { HookAudit } from "../run.ts";
import type { Moment } from "./phase.ts";

export interface AuditRequest {
  readonly step: TraceStep;
  readonly hook: string;
  /** It changed something, or said that it changes nothing. */
  readonly mutates: boolean;
  readonly moment: Moment;
  readonly startedAt: Date;
  readonly endedAt: Date;
}

export function auditOf({ step, hook, mutates, moment, startedAt, endedAt }: AuditRequest): HookAudit {
  const attempt = "attempt" in moment ? moment : undefined;
  return {
    phase: moment.phase,
    hook,
    startedAt: startedAt.toISOString(),
    endedAt: endedAt.toISOString(),
    outcome: outcomeOf(step, mutates, moment.phase === "taskTransition"),
    session: attempt?.sessionIndex ?? null,
    attempt: attempt?.attempt ?? null,
    task: moment.phase === "taskTransition" ? moment.transition.taskId : null,
    summary: summaryOf(step),
  };
}

/** Of a dry run. */
export function auditOfUnasked({ name, source, layer }: Hook, moment: Moment, at: Date): HookAudit {
  const step: TraceStep = { hook: name, source, layer, skipped: "a dry run", ms: 0 };
  const audit = auditOf({ step, hook: name, mutates: false, moment, startedAt: at, endedAt: at });
  return { ...audit, summary: "would be asked; a dry run asks no hook" };
}

function outcomeOf({ failure, opinion, observed }: TraceStep, mutates: boolean, isEdit: boolean): HookAudit["outcome"] {
  if (failure) return failure.code === "timeout" ? "timeout" : "error";
  if (observed) return "skipped";
  switch (opinion?.kind) {
    case "block":
      return isEdit ? "rejected" : "block";
    case "reinvoke":
      return "reinvoke";
    case "allow":
      return "accepted";
    default:
      if (!mutates) return "skipped";
      return isEdit ? "accepted" : "continue";
  }
}

function summaryOf({ failure, opinion, observed }: TraceStep): string {
  if (failure) return failure.message;
  const reason = opinion && "reason" in opinion ? (opinion.reason ?? "") : "";
  return observed && reason ? `observed only; it would have refused: ${reason}` : reason;
}
