/** Where the project stands and what comes next, in one object. */
import type { PlanEntry } from "./plan-file.ts";
import type { Problem } from "./problem.ts";
import type { Settings } from "./settings.ts";
import { type Blocker, openBlockers, type State } from "./state.ts";
import { STEPS } from "./step.ts";

export interface Status {
  readonly project: string;
  readonly current_phase: string;
  readonly current_step: string;
  readonly status: string;
  readonly phases_total: number;
  readonly phases_complete: number;
  readonly current_phase_plans: number;
  readonly current_phase_plans_complete: number;
  readonly active_blockers: number;
  readonly blockers: readonly Blocker[];
  readonly last_activity: string;
  readonly total_agent_sessions: number;
  /** The settings, or why they cannot be read. */
  readonly config: Settings | Problem;
  readonly next_suggestion: string;
}

/** Plans are counted on disk where they can be; what the file says of them is the fallback. */
export function statusOf(state: State, plans: readonly PlanEntry[] | undefined, config: Settings | Problem): Status {
  const { project, current, progress, metrics } = state;
  const open = openBlockers(state);
  return {
    project: project.name,
    current_phase: current.phase,
    current_step: current.step,
    status: current.status,
    phases_total: progress.phases_total,
    phases_complete: progress.phases_complete,
    current_phase_plans: plans?.length ?? progress.current_phase_plans,
    current_phase_plans_complete:
      plans?.filter(({ complete }) => complete).length ?? progress.current_phase_plans_complete,
    active_blockers: open.length,
    blockers: open,
    last_activity: metrics.last_activity,
    total_agent_sessions: metrics.total_agent_sessions,
    config,
    next_suggestion: suggestion(state),
  };
}

function suggestion(state: State): string {
  const { phase, step } = state.current;
  const [first] = openBlockers(state).filter((blocker) => blocker.phase === phase);
  const next = STEPS[step].hint;
  return first ? `Blocked: ${first.reason}. Settle it, call state_resolve_blocker, then: ${next}` : next;
}
