/** What a hook of a run may change, as it says it: one object, checked whole before any of it is applied. */
import type { Json, JsonObject } from "../core/json.ts";
import type { Effort, LockableField } from "./run.ts";
import type { TaskStatus } from "./task.ts";

export interface Mutation {
  readonly run?: {
    readonly cwd?: string;
    readonly backend?: string;
    readonly model?: string | null;
    readonly effort?: Effort | null;
    readonly timeoutSec?: number;
    readonly unrestricted?: boolean;
    readonly lockedFields?: readonly LockableField[];
    readonly initialPrompt?: string;
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

/** What a hook of a run answers, once it has been checked. */
export type PhaseAnswer =
  | { readonly kind: "continue"; readonly mutate: Mutation }
  | { readonly kind: "reinvoke"; readonly prompt: string; readonly mutate: Mutation }
  | { readonly kind: "block"; readonly reason: string; readonly mutate: Mutation }
  | { readonly kind: "skipped" };

export type AnswerProblem = { readonly problem: string; readonly answer: Json };
