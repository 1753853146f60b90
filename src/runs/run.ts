/** A run: an assignment being worked on, as it is written down. All of it is data; a run resumes from nothing else. */
import type { Json, JsonObject } from "../core/json.ts";
import type { Effort, LockableField } from "../core/run-mutation.ts";
import type { Task } from "./task.ts";

export const RUN_STATUSES = [
  "initialized",
  "ready",
  "running",
  "success",
  "blocked",
  "exhausted",
  "aborted",
  "error",
] as const;
export type RunStatus = (typeof RUN_STATUSES)[number];

/** What a process says of a run as it ends. */
export const EXIT_CODES: Readonly<Record<RunStatus, number>> = {
  initialized: 0,
  ready: 0,
  running: 0,
  success: 0,
  exhausted: 1,
  blocked: 2,
  error: 4,
  aborted: 130,
};

export { EFFORTS, type Effort, LOCKABLE_FIELDS, type LockableField } from "../core/run-mutation.ts";

export interface Run {
  readonly schemaVersion: 1;
  /** Six characters people can read out. */
  readonly id: string;
  /** Counts every stored change: a change is stored only over the version it was made from. */
  readonly version: number;
  readonly repo: string;
  readonly status: RunStatus;
  /** Why it is blocked, exhausted, aborted or failed, in a person's words; empty otherwise. */
  readonly statusReason: string;
  readonly name: string | null;
  readonly note: string | null;
  readonly isPinned: boolean;
  readonly isArchived: boolean;
  readonly group: string | null;
  readonly parentRun: string | null;
  readonly dependencies: readonly string[];
  readonly assignment: { readonly name: string; readonly file: string | null } | null;
  readonly agent: { readonly name: string; readonly file: string | null; readonly instructions: string };
  readonly settings: RunSettings;
  readonly lockedFields: readonly LockableField[];
  readonly callerInstructions: string | null;
  /** Declared variables as resolved. What came from the environment is kept as a reference, never as a value. */
  readonly vars: Readonly<Record<string, RunVar>>;
  /** What the backend is told first. */
  readonly brief: string;
  readonly tasks: readonly Task[];
  readonly hooks: readonly FrozenHook[];
  /** What hooks keep between phases. */
  readonly state: JsonObject;
  readonly attachments: readonly Attachment[];
  readonly sessions: readonly SessionRecord[];
  readonly attempts: readonly AttemptRecord[];
  /** Where the loop is, so that whoever takes over goes on right there; null: nothing is under way. */
  readonly progress: RunProgress | null;
  /** The backend's own session, by which it goes on where it was. */
  readonly backendSession: string | null;
  /** What people said to it while it ran: the next attempt is told. Absent: nothing. */
  readonly messages?: readonly WaitingMessage[];
  /** The last few; the event log has all of them. */
  readonly hookAudits: readonly HookAudit[];
  /** What `reset` goes back to: the run as prepare left it. */
  readonly seed: RunSeed | null;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly endedAt: string | null;
}

export interface RunSettings {
  readonly cwd: string;
  readonly backend: string;
  readonly model: string | null;
  readonly effort: Effort | null;
  readonly timeoutSec: number;
  readonly unrestricted: boolean;
  readonly maxRetries: number;
  readonly message: string | null;
  readonly backendConfig: JsonObject;
  readonly backendArgs: readonly string[];
}

export type RunSeed = Pick<
  Run,
  | "settings"
  | "lockedFields"
  | "name"
  | "note"
  | "isPinned"
  | "group"
  | "parentRun"
  | "dependencies"
  | "vars"
  | "brief"
  | "tasks"
  | "state"
  | "attachments"
>;

export type RunVar =
  | { readonly source: "cli" | "web" | "parent" | "default" | "prepare"; readonly value: string | number | boolean }
  | { readonly source: "env"; readonly envName: string; readonly type: "string" | "number" | "boolean" | "enum" };

export const PHASES = ["prepare", "beforeAttempt", "afterAttempt", "afterExit", "taskTransition"] as const;
export type Phase = (typeof PHASES)[number];

/** A hook of the assignment as it was when the run was made. */
export interface FrozenHook {
  /** `<phase>:<index>:<source>`, or `taskTransition:task:<task>:<index>:<source>`. */
  readonly id: string;
  readonly phase: Phase;
  readonly source: HookSource;
  /** The task it is about; null: all. */
  readonly task: string | null;
  readonly when: JsonObject | null;
  /** Its `with:`, templates filled in; what comes from the environment as `${NAME}`, a literal `$` as `$$`. */
  readonly config: Json;
  readonly timeoutMs: number;
  /** `ask`: a person says whether the run goes on without it. */
  readonly onError: "block" | "continue" | "ask";
  /** What happens when its code is no longer what it was when the run was made. */
  readonly onDrift: "refuse" | "warn";
  /** What it may change; absent: everything its phase allows that is not locked. */
  readonly may: readonly Capability[] | null;
}

export const CAPABILITIES = ["run", "vars", "state", "note", "tasks", "attachments", "locked"] as const;
export type Capability = (typeof CAPABILITIES)[number];

export type HookSource =
  | {
      readonly type: "builtin";
      readonly name: string;
      /** Of one that starts programs: what people trust, as it was written and where. */
      readonly written?: { readonly file: string; readonly with: Json };
    }
  | {
      readonly type: "module";
      readonly file: string;
      readonly name: string | null;
      /** Which of the hooks the module exports; null: none of them has this phase, so it is skipped. */
      readonly index: number | null;
      /** sha256 of the file and of each file it imports. */
      readonly pins: Readonly<Record<string, string>>;
    };

export interface Attachment {
  readonly id: string;
  readonly name: string;
  readonly mimeType: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly addedAt: string;
}

/** Every step ends in one stored change that names the next: a kill in between repeats at most the step it hit. */
export type RunProgress =
  /** Null: what the loop says by itself (the brief, or a nudge). */
  | { readonly step: "before-attempt"; readonly prompt: string | null }
  /** The last attempt record is under way with this prompt. */
  | { readonly step: "attempt"; readonly prompt: string }
  | { readonly step: "ending"; readonly status: EndStatus; readonly reason: string }
  | { readonly step: "after-exit" };

export type EndStatus = Extract<RunStatus, "success" | "blocked" | "exhausted" | "aborted" | "error">;

export interface WaitingMessage {
  readonly text: string;
  readonly at: string;
}

export interface SessionRecord {
  /** 0 is the first execution; each resume is one more. */
  readonly index: number;
  readonly startedAt: string;
  readonly endedAt: string | null;
  /** The entry of the queue that asked for it, or went on with it. */
  readonly request?: string;
}

export interface AttemptRecord {
  /** From 1, through all sessions. */
  readonly number: number;
  readonly session: number;
  readonly indexInSession: number;
  readonly startedAt: string;
  readonly endedAt: string | null;
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly isTimedOut: boolean;
  readonly isAborted: boolean;
}

export const HOOK_OUTCOMES = [
  "continue",
  "reinvoke",
  "block",
  "accepted",
  "rejected",
  "skipped",
  "error",
  "timeout",
] as const;

export interface HookAudit {
  readonly phase: Phase;
  readonly hook: string;
  readonly startedAt: string;
  readonly endedAt: string;
  readonly outcome: (typeof HOOK_OUTCOMES)[number];
  readonly session: number | null;
  readonly attempt: number | null;
  readonly task: string | null;
  /** The reason of a block or rejection, or the error; empty otherwise. */
  readonly summary: string;
}
