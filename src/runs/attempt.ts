/** One attempt: hooks before it, the backend, hooks after it. */
import { backendResult } from "./backend-call.ts";
import type { Driving } from "./loop.ts";
import { clashes } from "./merge.ts";
import { withMessages, withMissing } from "./messages.ts";
import { nextStep } from "./next-step.ts";
import { changeByPhase } from "./phase-change.ts";
import { continuation } from "./prompts.ts";
import type { AttemptRecord, EndStatus, Run, RunProgress } from "./run.ts";
import type { NewRunEvent } from "./store.ts";
import { updateRun } from "./update.ts";

/** Up to the stored change that says that the attempt has begun, and with which prompt. */
export async function beginAttempt(driving: Driving, run: Run, given: string | null): Promise<Run> {
  const { ports, id, lease, signal } = driving;
  if (signal.aborted) return endWith(driving, "aborted", "it was stopped");
  const place = placeOf(run);
  if (place.attemptsLeft <= 0) return endWith(driving, "exhausted", "no attempt is left");
  const prompt = withMessages(run, withBrief(run, given ?? promptOf(run, place)));
  const { run: after } = await changeByPhase(ports, {
    id,
    momentOf: () => ({
      phase: "beforeAttempt",
      prompt,
      sessionIndex: place.session,
      attemptIndex: place.index,
      attempt: place.number,
      retriesRemaining: place.attemptsLeft - 1,
    }),
    mustAskAgain: clashes,
    conclude(merged, { end, prompt: rewritten }) {
      if (end.kind === "block") return { next: ending(merged, "blocked", end.reason) };
      if (end.kind === "error") {
        const reason = `hook ${end.hook} failed: ${end.message}`;
        return { next: signal.aborted ? ending(merged, "aborted", "it was stopped") : ending(merged, "error", reason) };
      }
      const other = end.kind === "reinvoke" ? end.prompt : rewritten;
      const told = other === null ? prompt : withMissing(run, other);
      const next = withOwnBackend(run, begun(untold(merged, run), place, ports.now().toISOString()));
      const progress: RunProgress = { step: "attempt", prompt: told };
      return { next: { ...next, progress }, events: [attemptEvent("attempt.started", place, {})] };
    },
    lease: lease.token,
    env: { HOLDFAST_RUN_ID: id },
    signal,
  });
  return after;
}

/** From the backend to the stored change that says what comes next. */
export async function attempt(driving: Driving, run: Run, prompt: string): Promise<Run> {
  const { ports, id, lease, signal } = driving;
  const record = run.attempts.at(-1);
  if (!record) return endWith(driving, "error", "no attempt is on record");
  const result = await backendResult(driving, run, record, prompt);
  // Of a session that a resume has followed with another: that one has all its attempts.
  const isFollowed = record.session < run.sessions.length - 1;
  const attemptsLeft = isFollowed ? budgetOf(run) : budgetOf(run) - record.indexInSession - 1;
  const place = { session: record.session, index: record.indexInSession, number: record.number, attemptsLeft };
  if ("problem" in result) {
    return endWith(driving, "error", result.problem, (current) => closed(current, record.number, ports.now(), {}), [
      attemptEvent("attempt.failed", place, { problem: result.problem }),
    ]);
  }
  const { run: after } = await changeByPhase(ports, {
    id,
    momentOf: () => ({
      phase: "afterAttempt",
      prompt,
      sessionIndex: record.session,
      attemptIndex: record.indexInSession,
      attempt: record.number,
      retriesRemaining: Math.max(0, attemptsLeft),
      result,
    }),
    mustAskAgain: clashes,
    conclude(merged, { end }) {
      const { exitCode, signal: endedBy, isTimedOut, isAborted } = result;
      const how = { exitCode, signal: endedBy, isTimedOut, isAborted };
      const told = closed(merged, record.number, ports.now(), how);
      const known = { ...told, backendSession: result.session ?? merged.backendSession };
      const next = nextStep({
        phase: end,
        // Who stopped what was followed has been heard: the one who resumed it spoke later.
        result: { ...result, isAborted: (isAborted && !isFollowed) || signal.aborted },
        tasks: merged.tasks,
        attemptsLeft,
        hasMessages: (merged.messages ?? []).length > 0,
        isFollowed,
      });
      const progress: RunProgress =
        next.kind === "attempt"
          ? { step: "before-attempt", prompt: next.prompt }
          : { step: "ending", status: next.status, reason: next.reason };
      return { next: { ...known, progress }, events: [attemptEvent("attempt.ended", place, how)] };
    },
    lease: lease.token,
    env: { HOLDFAST_RUN_ID: id },
    // The person's stop ends the backend; hooks still see what came of the attempt.
    signal: lease.lost,
  });
  return after;
}

const budgetOf = (run: Run): number => run.settings.maxRetries + 1;

interface Place {
  readonly session: number;
  readonly index: number;
  readonly number: number;
  readonly attemptsLeft: number;
}

function placeOf(run: Run): Place {
  const session = Math.max(0, run.sessions.length - 1);
  const index = run.attempts.filter((record) => record.session === session).length;
  return { session, index, number: run.attempts.length + 1, attemptsLeft: budgetOf(run) - index };
}

const promptOf = (run: Run, { session, index }: Place): string => {
  if (index > 0) return continuation(run);
  return session === 0 ? run.brief : continuation(run);
};

/** A backend that has no session to go on in knows nothing of what it was told before. */
const withBrief = (run: Run, prompt: string): string =>
  run.attempts.length === 0 || run.backendSession !== null ? prompt : `${run.brief}\n\n${prompt}`;

/** Without the messages that this attempt is told; what came meanwhile waits for the next. */
function untold({ messages = [], ...run }: Run, { messages: told = [] }: Run): Run {
  const left = messages.slice(told.length);
  return left.length === 0 ? run : { ...run, messages: left };
}

function begun(run: Run, place: Place, at: string): Run {
  const record: AttemptRecord = {
    number: place.number,
    session: place.session,
    indexInSession: place.index,
    startedAt: at,
    endedAt: null,
    exitCode: null,
    signal: null,
    isTimedOut: false,
    isAborted: false,
  };
  return { ...run, attempts: [...run.attempts, record] };
}

const closed = (run: Run, number: number, at: Date, how: Partial<AttemptRecord>): Run => ({
  ...run,
  attempts: run.attempts.map((each) =>
    each.number === number ? { ...each, ...how, endedAt: at.toISOString() } : each,
  ),
});

/** Another backend knows neither the session nor the settings of the one before. */
function withOwnBackend(before: Run, run: Run): Run {
  if (before.settings.backend === run.settings.backend) return run;
  return { ...run, backendSession: null, settings: { ...run.settings, backendConfig: {}, backendArgs: [] } };
}

const ending = (run: Run, status: EndStatus, reason: string): Run => ({
  ...run,
  progress: { step: "ending", status, reason },
});

const endWith = (
  { ports, id, lease }: Driving,
  status: EndStatus,
  reason: string,
  also: (run: Run) => Run = (run) => run,
  events: readonly NewRunEvent[] = [],
): Promise<Run> =>
  updateRun(ports, id, (run) => ({
    next: ending(also(run), status, reason),
    change: { events, lease: lease.token },
  }));

const attemptEvent = (type: string, { session, index, number }: Place, data: NewRunEvent["data"]): NewRunEvent => ({
  type,
  source: "system",
  data: { session, attempt: number, indexInSession: index, ...data },
});
