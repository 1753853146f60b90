/** Where runs are kept. Files by default; every change is atomic, and survives a kill at any moment. */
import type { Json } from "../core/json.ts";
import type { Run, RunStatus } from "./run.ts";

export interface RunStore {
  create(run: Run): Promise<void>;
  read(id: string): Promise<Run | undefined>;
  /** Compare and set: stored if the stored version is `next.version - 1`; false: somebody was faster. */
  change(next: Run): Promise<boolean>;
  /** Newest first, by an index: the manifests are not read. */
  list(query: RunQuery): Promise<readonly RunSummary[]>;
  remove(id: string): Promise<void>;
  /** One line of the run's event log, with its cursor; constant time, whatever the length. */
  append(id: string, events: readonly NewRunEvent[]): Promise<readonly RunEvent[]>;
  events(id: string, from?: number): AsyncIterable<RunEvent>;
  /** Where the run's files are: attempts/, attachments/. */
  directoryOf(id: string): string;
  /**
   * Only one process drives a run. The lease carries its owner (pid, host, start time) and is renewed; one whose owner is
   * dead or silent is taken over. Undefined: somebody else holds it.
   */
  lease(id: string): Promise<Lease | { readonly heldBy: string }>;
}

export interface Lease {
  readonly lost: AbortSignal;
  release(): Promise<void>;
}

export interface RunQuery {
  readonly repo?: string;
  readonly statuses?: readonly RunStatus[];
  readonly group?: string;
  readonly parentRun?: string;
  readonly includeArchived?: boolean;
  readonly limit?: number;
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
}

export interface NewRunEvent {
  readonly type: string;
  readonly source: "system" | "cli" | "worker" | "task_command" | "hook";
  readonly data: { readonly [key: string]: Json };
}

export interface RunEvent extends NewRunEvent {
  /** From 1, without gaps. */
  readonly cursor: number;
  readonly at: string;
  readonly run: string;
}
