/** One phase of a run: its hooks one after another, each seeing what the ones before it changed. */
import type { AttemptResult } from "../backend.ts";
import type { Mutation } from "../mutation.ts";
import type { FrozenHook, HookAudit, Run } from "../run.ts";
import type { EditSource, Task } from "../task.ts";
import type { PhaseEngine, RunMachine, StageAttachments } from "./engine.ts";

export interface PhaseRequest {
  /** As it stands before the phase; of a task edit: before the edit. */
  readonly run: Run;
  readonly moment: Moment;
  /** Those of the run unless given: prepare runs before there is a run to take them from. */
  readonly hooks?: readonly FrozenHook[];
  /** Where the run's files are. */
  readonly directory: string;
  readonly engine: PhaseEngine;
  readonly machine: RunMachine;
  readonly stage: StageAttachments;
  /** Aborted: hooks are told, the phase ends with an error. */
  readonly signal: AbortSignal;
  readonly now: () => Date;
}

/** Which phase it is, and what belongs to that one only. */
export type Moment =
  | { readonly phase: "prepare"; readonly prompt: string }
  | (AttemptMoment & { readonly phase: "beforeAttempt" | "afterExit" })
  | (AttemptMoment & { readonly phase: "afterAttempt"; readonly result: AttemptResult })
  | { readonly phase: "taskTransition"; readonly transition: Transition };

export interface AttemptMoment {
  readonly prompt: string;
  readonly sessionIndex: number;
  readonly attemptIndex: number;
  /** Through all sessions, from 1; null after the last one. */
  readonly attempt: number | null;
  readonly retriesRemaining: number;
}

export interface Transition {
  readonly taskId: string;
  readonly source: EditSource;
  /** null: the task is added. */
  readonly before: Task | null;
  /** null: the task is deleted. */
  readonly after: Task | null;
}

export interface PhaseOutcome {
  readonly end: PhaseEnd;
  /**
   * With everything the phase changed, and of a task edit that was accepted the edit itself. After an error it is the
   * run as it was. Staged attachments are those whose ids are new in it.
   */
  readonly run: Run;
  /** What the backend is to be told, where a hook said so. */
  readonly prompt: string | null;
  /** What was applied, in order, for whoever has to apply it to a newer version. Empty after an error. */
  readonly mutations: readonly Mutation[];
  readonly audits: readonly HookAudit[];
}

export type PhaseEnd =
  | { readonly kind: "continue" }
  | { readonly kind: "reinvoke"; readonly hook: string; readonly prompt: string }
  /** Of a task edit: rejected. */
  | { readonly kind: "block"; readonly hook: string; readonly reason: string }
  | { readonly kind: "error"; readonly hook: string; readonly message: string; readonly isTimeout: boolean };

export async function runPhase(_request: PhaseRequest): Promise<PhaseOutcome> {
  throw new Error("being built");
}
