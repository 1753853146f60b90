/** What can be done to a project's state. Pure: the new state, or the problem. */
import { phaseFault } from "./phase-name.ts";
import { isProblem, Problem } from "./problem.ts";
import { openBlockers, type State, withStatus } from "./state.ts";
import { edge, toStep } from "./step.ts";

export interface InitRequest {
  readonly name: string;
  readonly phase: string;
  readonly phases_total: number;
}

export function initState(request: InitRequest, at: string): State | Problem {
  const name = request.name.trim();
  const fault =
    textFault("name", name, 200) ?? phaseFault(request.phase) ?? countFault("phases_total", request.phases_total);
  if (fault) return fault;
  return {
    project: { name, initialized: at },
    current: { phase: request.phase, step: "specced", status: "idle", plan: "", wave: 0 },
    progress: { phases_total: request.phases_total, phases_complete: 0, ...NO_PLANS },
    metrics: { last_activity: at, total_agent_sessions: 1 },
    blockers: [],
  };
}

export interface TransitionRequest {
  readonly step: string;
  readonly phase?: string | undefined;
}

export function transition(state: State, request: TransitionRequest, at: string): State | Problem {
  const step = toStep(request.step);
  if (isProblem(step)) return step;
  const phase = request.phase ?? state.current.phase;
  const fault =
    (request.phase === undefined ? undefined : phaseFault(phase)) ??
    edge(state.current.step, step) ??
    blockedFault(state);
  if (fault) return fault;
  const moved = touched(state, at, { ...state.current, phase, step });
  // Reopening the shipped phase completes nothing.
  const isNextPhase = state.current.step === "shipped" && phase !== state.current.phase;
  return isNextPhase ? { ...moved, progress: phaseCompleted(state, state.progress.phases_total) } : moved;
}

export interface AdvanceRequest {
  readonly phase: string;
  readonly phases_total: number;
}

export function advancePhase(state: State, request: AdvanceRequest, at: string): State | Problem {
  const { phase, phases_total } = request;
  const fault = phaseFault(phase) ?? countFault("phases_total", phases_total) ?? advanceFault(state, phase);
  if (fault) return fault;
  return {
    ...touched(state, at, { ...state.current, phase, step: "specced", plan: "", wave: 0 }),
    progress: phaseCompleted(state, phases_total),
  };
}

function advanceFault(state: State, phase: string): Problem | undefined {
  const { step } = state.current;
  if (step !== "shipped")
    return new Problem(
      "INVALID_TRANSITION",
      `A phase is left only when it is shipped; ${state.current.phase} is at ${step}. Go on with it, or see status.`,
    );
  if (phase === state.current.phase)
    return new Problem(
      "INVALID_PHASE",
      `"${phase}" is the phase that was just shipped. Name the next one, or reopen this one with state_transition to specced.`,
    );
  return blockedFault(state);
}

export interface BlockRequest {
  /** The current phase when not given. */
  readonly phase?: string | undefined;
  readonly reason: string;
}

export function addBlocker(state: State, request: BlockRequest, at: string): State | Problem {
  const phase = request.phase ?? state.current.phase;
  const reason = request.reason.trim();
  const fault = phaseFault(phase) ?? textFault("reason", reason, 2000);
  if (fault) return fault;
  const blocker = { phase, step: state.current.step, reason, timestamp: at, resolved: false };
  return withStatus({ ...state, blockers: [...state.blockers, blocker] });
}

export interface UnblockRequest {
  readonly phase?: string | undefined;
  /** Which blocker, where the phase has several; the oldest when not given. */
  readonly reason?: string | undefined;
}

export function resolveBlocker(state: State, request: UnblockRequest): State | Problem {
  const phase = request.phase ?? state.current.phase;
  const wanted = state.blockers.find(
    (blocker) =>
      !blocker.resolved &&
      blocker.phase === phase &&
      (request.reason === undefined || blocker.reason === request.reason.trim()),
  );
  if (!wanted) return new Problem("BLOCKER_NOT_FOUND", notFound(state, phase, request.reason));
  const blockers = state.blockers.map((blocker) => (blocker === wanted ? { ...blocker, resolved: true } : blocker));
  return withStatus({ ...state, blockers });
}

function notFound(state: State, phase: string, reason: string | undefined): string {
  const open = openBlockers(state).map((blocker) => `${blocker.phase}: ${short(blocker.reason)}`);
  const which = reason === undefined ? "no open blocker" : "no open blocker with that reason";
  return `Phase "${phase.slice(0, 64)}" has ${which}. ${open.length > 0 ? `Open: ${open.join("; ")}.` : "Nothing is blocked."}`;
}

/** A blocker stops the phase it belongs to; one of another phase only shows in the status. */
function blockedFault(state: State): Problem | undefined {
  const { phase } = state.current;
  const reasons = openBlockers(state)
    .filter((blocker) => blocker.phase === phase)
    .map(({ reason }) => short(reason));
  if (reasons.length === 0) return undefined;
  return new Problem(
    "OPEN_BLOCKERS",
    `Phase ${phase} is blocked: ${reasons.join("; ")}. Settle it with the person, call state_resolve_blocker, then go on.`,
  );
}

const NO_PLANS = { current_phase_plans: 0, current_phase_plans_complete: 0 };

const phaseCompleted = ({ progress }: State, phases_total: number) => ({
  phases_total,
  phases_complete: progress.phases_complete + 1,
  ...NO_PLANS,
});

function touched(state: State, at: string, current: State["current"]): State {
  return withStatus({
    ...state,
    current: { ...current, status: "idle" },
    metrics: { ...state.metrics, last_activity: at },
  });
}

function textFault(what: string, value: string, longest: number): Problem | undefined {
  if (value.length > 0 && value.length <= longest) return undefined;
  return new Problem("INVALID_INPUT", `${what} must be a text of 1 to ${longest} characters.`);
}

function countFault(what: string, value: number): Problem | undefined {
  if (Number.isSafeInteger(value) && value >= 0 && value <= 10_000) return undefined;
  return new Problem("INVALID_INPUT", `${what} must be a whole number from 0 to 10000.`);
}

const short = (reason: string) => (reason.length > 120 ? `${reason.slice(0, 119)}…` : reason);
