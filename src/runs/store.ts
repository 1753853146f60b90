/** Where runs are kept. Files by default; every change is atomic, and survives a kill at any moment. */
import type { Json } from "../core/json.ts";
import type { AttemptResult } from "./backend.ts";
import type { NewRun } from "./new-run.ts";
import type { Attachment, Run, RunStatus } from "./run.ts";

export interface RunStore {
  /** An id and a directory for a run that is being made. Nothing can be read or listed before `create`. */
  reserve(repo: string): Promise<Reservation>;
  /** The first write of a run, whole: its events and files with it. */
  create(run: Run, reservation: Reservation, origin: NewRun, change?: Change): Promise<void>;
  /** The caller's repository first, then "unknown", then all; an id that is there twice is an error. */
  read(id: string): Promise<Run | undefined>;
  /** Compare and set: stored if the stored version is `next.version - 1`; false: somebody was faster. */
  change(next: Run, change?: Change): Promise<boolean>;
  /** Which transactions the changes after a version belonged to; undefined: too long ago to tell. */
  changesSince(id: string, version: number): Promise<readonly { readonly within: readonly string[] }[] | undefined>;
  /** Newest first, by an index: the manifests are not read. */
  list(query: RunQuery): Promise<readonly RunSummary[]>;
  remove(id: string): Promise<void>;
  /** One line of the run's event log, with its cursor; constant time, whatever the length. */
  append(id: string, events: readonly NewRunEvent[]): Promise<readonly RunEvent[]>;
  events(id: string, from?: number): AsyncIterable<RunEvent>;
  /** Where the run's files are: attempts/, attachments/. */
  directoryOf(id: string): string;
  /** Where an attachment's bytes are, complete even if a process died while it was added. */
  attachmentFile(id: string, attachment: Attachment): Promise<string>;
  /**
   * Only one process drives a run. The lease carries its owner (pid, host, start time) and is renewed; one whose owner is
   * dead or silent is taken over.
   */
  lease(id: string): Promise<Lease | { readonly heldBy: string }>;
  /** Whoever drives the run ends it as aborted, soon. Refused where nobody drives it. */
  requestStop(id: string, by: string, source: "cli" | "web"): Promise<void>;
  /** What an attempt was told, who does it, what came of it: kept before any hook sees it. */
  readAttempt(id: string, number: number): Promise<AttemptState | undefined>;
  /** Throws HF1024 where the lease is no longer the one given. */
  writeAttempt(id: string, attempt: AttemptState, lease?: string): Promise<void>;
  /** What an attempt's backend said so far; undefined: nothing of it is here. */
  attemptOutput(id: string, number: number): Promise<OutputFile | undefined>;
  /** Said by an editor that keeps losing to faster ones: those give it a moment. Undefined: somebody else said so. */
  takeTurn(id: string): Promise<{ release(): void } | undefined>;
  /** Gives whoever said so a moment, and no more than that. */
  letOthersTurn(id: string): Promise<void>;
  /** What the run was made from, for making it anew. Only a change that makes it anew changes it, in the same write. */
  originOf(id: string): Promise<NewRun | undefined>;
  /** Who drives the run now, in words; undefined: nobody who is alive. */
  driverOf(id: string): Promise<string | undefined>;
  /** For what spans runs (dependencies): one process at a time, briefly. */
  exclusively<T>(work: () => Promise<T>): Promise<T>;
}

export interface AttemptState {
  readonly number: number;
  readonly prompt: string;
  /** The leader of the processes that do the work; whoever takes over ends them. */
  readonly process: { readonly pid: number; readonly startedAt: string | null; readonly scope: string } | null;
  readonly result: AttemptResult | null;
}

export interface OutputFile {
  readonly file: string;
  /** What was said before its beginning, and is not kept. */
  readonly lostBytes: number;
}

export interface Reservation {
  readonly id: string;
  readonly directory: string;
  /** Nothing of it stays. */
  discard(): Promise<void>;
}

/** What is stored with a run or not at all. */
export interface Change {
  readonly events?: readonly NewRunEvent[];
  readonly files?: readonly FileChange[];
  /** The task edits this change is made from within: a hook of an edit may itself edit. */
  readonly within?: readonly string[];
  /** What the run is made from by this change. */
  readonly origin?: NewRun;
  /** Only while this lease is held. */
  readonly lease?: string;
}

/** Paths in the run's directory. `from` is where the file was staged. */
export type FileChange = { readonly from: string; readonly to: string } | { readonly remove: string };

export interface Lease {
  readonly token: string;
  readonly lost: AbortSignal;
  /** Aborted when somebody asked for it: the run ends as aborted. */
  readonly stopped: AbortSignal;
  release(): Promise<void>;
}

export interface RunQuery {
  readonly repo?: string;
  readonly statuses?: readonly RunStatus[];
  readonly group?: string;
  readonly parentRun?: string;
  readonly includeArchived?: boolean;
  /** In the id, name, assignment, group or repository; any case. */
  readonly search?: string;
  readonly limit?: number;
  /** The last one of the page before: only what comes after it. */
  readonly after?: Pick<RunSummary, "createdAt" | "id">;
}

export interface RunSummary {
  readonly id: string;
  readonly repo: string;
  readonly status: RunStatus;
  readonly name: string | null;
  readonly assignment: string | null;
  readonly group: string | null;
  readonly parentRun: string | null;
  readonly isArchived: boolean;
  readonly isPinned: boolean;
  readonly tasksCompleted: number;
  readonly tasksTotal: number;
  readonly hooks: number;
  readonly createdAt: string;
  readonly updatedAt: string;
  /** Its record cannot be read, and why. */
  readonly problem?: string;
}

export interface NewRunEvent {
  readonly type: string;
  readonly source: "system" | "cli" | "web" | "worker" | "task_command" | "hook";
  readonly data: { readonly [key: string]: Json };
}

export interface RunEvent extends NewRunEvent {
  /** From 1, without gaps. */
  readonly cursor: number;
  readonly at: string;
  readonly run: string;
}
