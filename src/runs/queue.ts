/**
 * Runs that wait for a worker. Whoever takes one has its lease with it, in one step: so each is driven by one worker at a
 * time, and one whose worker fell silent is taken again by the next.
 */
import type { ResumeRequest } from "./start.ts";
import type { Lease } from "./store.ts";

export const QUEUE_STATES = ["waiting", "taken", "done", "failed", "cancelled"] as const;
export type QueueState = (typeof QUEUE_STATES)[number];

export interface RunQueue {
  /** Throws where it is queued already and not over. */
  add(run: Pick<QueueEntry, "run" | "backend">, request: QueueRequest): Promise<QueueEntry>;
  /** The first that the limits allow; undefined: there is none now. */
  take(worker: TakingWorker): Promise<TakenRun | undefined>;
  /** It is over, or failed before it began; the lease ends with it. */
  finish(taken: TakenRun, end: QueueEnd): Promise<void>;
  /** Somebody else takes it, or this worker later. */
  handBack(taken: TakenRun, reason: string, waitMs: number): Promise<void>;
  /** One that nobody drives is cancelled at once; one that somebody does is told to stop. */
  cancel(run: string): Promise<QueueEntry>;
  /** Which of these were told to stop. */
  cancelled(runs: readonly string[]): Promise<readonly string[]>;
  find(run: string): Promise<QueueEntry | undefined>;
  /** In the order they are taken; then those that are over, the newest first. */
  list(query: { readonly states?: readonly QueueState[]; readonly limit?: number }): Promise<readonly QueueEntry[]>;
  limits(): Promise<readonly QueueLimit[]>;
  /** Null: no limit. */
  limit(kind: LimitKind, name: string, most: number | null): Promise<void>;
}

export interface QueueEnd {
  readonly state: "done" | "failed" | "cancelled";
  readonly reason: string;
}

export interface QueueRequest {
  /** Higher ones first. */
  readonly priority: number;
  /** Kept with the session that begins for it: who takes it next knows that it has begun. Absent: asked for before there were any. */
  readonly key?: string;
  /** How many sessions the run had: with one more, somebody has gone on with it. */
  readonly sessions: number;
  /** For a run that has not been started: nothing. */
  readonly resume: ResumeRequest;
  /** A channel where people are told how it ended. */
  readonly notify: string | null;
}

export interface QueueEntry extends QueueRequest {
  readonly run: string;
  readonly repo: string;
  readonly group: string | null;
  readonly backend: string;
  readonly state: QueueState;
  /** Why it failed, was handed back or waits. */
  readonly reason: string;
  readonly isCancelled: boolean;
  /** How often it was taken. */
  readonly takes: number;
  /** Who has it, or had it last. */
  readonly worker: string | null;
  readonly addedAt: string;
  readonly takenAt: string | null;
  readonly endedAt: string | null;
}

export interface TakingWorker {
  readonly name: string;
  /** Undefined: all. */
  readonly repositories?: readonly string[] | undefined;
  readonly backends?: readonly string[] | undefined;
  /** Those it found it cannot drive. */
  readonly except: readonly string[];
}

export interface TakenRun {
  readonly entry: QueueEntry;
  readonly lease: Lease;
}

export type LimitKind = "repository" | "group";

export interface QueueLimit {
  readonly kind: LimitKind;
  /** `*`: every one without a limit of its own. */
  readonly name: string;
  readonly most: number;
  /** How many go on now; of `*` it is not counted. */
  readonly taken: number | null;
}
