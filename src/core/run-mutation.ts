/** What a hook of a run may change, as it says it: one object, checked whole before any of it is applied. */
import type { JsonObject } from "./json.ts";

export const TASK_STATUSES = ["pending", "in_progress", "completed", "blocked"] as const;
export type TaskStatus = (typeof TASK_STATUSES)[number];

export const EFFORTS = ["off", "minimal", "low", "medium", "high", "xhigh", "max"] as const;
export type Effort = (typeof EFFORTS)[number];

export const LOCKABLE_FIELDS = [
  "cwd",
  "backend",
  "model",
  "effort",
  "instructions",
  "message",
  "timeoutSec",
  "unrestricted",
  "maxRetries",
  "tasks",
  "schedule",
] as const;
export type LockableField = (typeof LOCKABLE_FIELDS)[number];

export interface Mutation {
  readonly run?: {
    readonly cwd?: string;
    readonly backend?: string;
    readonly model?: string | null;
    readonly effort?: Effort | null;
    readonly timeoutSec?: number;
    readonly unrestricted?: boolean;
    /** May add locks; takes one away only where the hook's entry grants it. */
    readonly lockedFields?: readonly LockableField[];
    /** Only in prepare: what the backend is told first. */
    readonly initialPrompt?: string;
    /** In beforeAttempt: the prompt of this attempt; in afterAttempt: of the next one, if there is one. */
    readonly attemptPrompt?: string;
  };
  /** Only in prepare. */
  readonly vars?: Readonly<Record<string, string | number | boolean>>;
  /** Merged into the state of hooks, key by key. */
  readonly state?: JsonObject;
  readonly note?: string | null;
  readonly pinned?: boolean;
  readonly patchTasks?: readonly TaskPatch[];
  readonly attachments?: AttachmentChanges;
}

export interface TaskPatch {
  readonly taskId: string;
  readonly status?: TaskStatus;
  readonly notesReplace?: string;
  readonly notesAppend?: string;
}

export interface AttachmentChanges {
  readonly remove?: readonly string[];
  readonly replace?: readonly {
    readonly attachmentId: string;
    readonly sourcePath: string;
    readonly name?: string;
    readonly mimeType?: string;
  }[];
  readonly add?: readonly { readonly sourcePath: string; readonly name?: string; readonly mimeType?: string }[];
}
