/** What comes after an attempt. Pure: the whole table of how a run goes on or ends. */
import type { AttemptResult } from "./backend.ts";
import type { PhaseEnd } from "./hooks/phase.ts";
import type { EndStatus } from "./run.ts";
import type { Task } from "./task.ts";

export interface AttemptEnd {
  /** How the afterAttempt hooks ended. */
  readonly phase: PhaseEnd;
  readonly result: Pick<AttemptResult, "exitCode" | "signal" | "isTimedOut" | "isAborted" | "isSessionUnknown">;
  readonly tasks: readonly Pick<Task, "id" | "status">[];
  readonly attemptsLeft: number;
  /** What people said to the run meanwhile waits for an attempt. */
  readonly hasMessages?: boolean;
  /** A resume has begun another session since: how this one ends is not yet how the run does. */
  readonly isFollowed?: boolean;
}

export type NextStep =
  /** Null: the nudge. */
  | { readonly kind: "attempt"; readonly prompt: string | null }
  | { readonly kind: "end"; readonly status: EndStatus; readonly reason: string };

export function nextStep(end: AttemptEnd): NextStep {
  for (const rule of RULES) {
    const step = rule(end);
    if (!step) continue;
    return step.kind === "end" && goesOn(step.status, end) ? { kind: "attempt", prompt: null } : step;
  }
  return { kind: "attempt", prompt: null };
}

/** What waits to be told is told; and as with any resume, only a blocked run and one that is done need a reason to go on. */
function goesOn(status: EndStatus, { hasMessages = false, isFollowed = false, attemptsLeft }: AttemptEnd): boolean {
  if (status === "aborted" || attemptsLeft <= 0) return false;
  if (status === "success") return hasMessages;
  return isFollowed && (status !== "blocked" || hasMessages);
}

/** The first that applies decides. A person who stops a run is heard before a hook that would go on. */
const RULES: readonly ((end: AttemptEnd) => NextStep | undefined)[] = [
  ({ phase }) => (phase.kind === "block" ? ended("blocked", phase.reason) : undefined),
  ({ result }) => (result.isAborted ? ended("aborted", "it was stopped") : undefined),
  ({ phase }) => (phase.kind === "error" ? ended("error", `hook ${phase.hook} failed: ${phase.message}`) : undefined),
  ({ phase, attemptsLeft }) => {
    if (phase.kind !== "reinvoke") return undefined;
    if (attemptsLeft > 0) return { kind: "attempt", prompt: phase.prompt };
    return ended("exhausted", `hook ${phase.hook} asked for another attempt, and none is left`);
  },
  ({ result }) =>
    result.isSessionUnknown ? ended("error", "the backend does not know the session it should go on in") : undefined,
  ({ tasks, result }) => {
    if (tasks.length > 0) return undefined;
    const isDone = result.exitCode === 0 && !result.isTimedOut;
    return isDone ? ended("success", "") : ended("error", `the backend ${howItEnded(result)}`);
  },
  ({ tasks }) => (tasks.every(({ status }) => status === "completed") ? ended("success", "") : undefined),
  ({ tasks }) => {
    const blocked = tasks.filter(({ status }) => status === "blocked").map(({ id }) => id);
    return blocked.length > 0 ? ended("blocked", `blocked: ${blocked.join(", ")}`) : undefined;
  },
  ({ tasks, attemptsLeft, result }) => {
    if (attemptsLeft > 0) return undefined;
    const open = tasks.filter(({ status }) => status !== "completed").map(({ id }) => id);
    const last = result.exitCode === 0 ? "" : `; the backend ${howItEnded(result)}`;
    return ended("exhausted", `no attempt is left, and not completed: ${open.join(", ")}${last}`);
  },
];

const ended = (status: EndStatus, reason: string): NextStep => ({ kind: "end", status, reason });

export function howItEnded({ exitCode, signal, isTimedOut }: AttemptEnd["result"]): string {
  if (isTimedOut) return "took longer than its time limit";
  if (signal !== null) return `was ended by ${signal}`;
  return `ended with exit code ${exitCode}`;
}
