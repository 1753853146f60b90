/**
 * The contract that modules written for agent-runner have, and programs that the built-in `command` runs: what they are
 * told (the context) and what they answer (the result). Our own hooks are asked about the event itself.
 */
import type { EventOf } from "./event.ts";
import { HookFailure } from "./failure.ts";
import { isJsonObject, type Json, type JsonObject } from "./json.ts";
import { nearest } from "./nearest.ts";
import type { Mutation, TaskStatus } from "./run-mutation.ts";
import { NO_OPINION, type Opinion, type Verdict } from "./verdict.ts";

export const RUN_EVENTS = ["prepare", "before_attempt", "after_attempt", "after_exit", "task_transition"] as const;
export type RunEventName = (typeof RUN_EVENTS)[number];
export type RunEventOf<N extends RunEventName = RunEventName> = EventOf<N>;

/** The method of a module that is asked about an event. */
export const PHASE_METHODS = {
  prepare: "prepare",
  before_attempt: "beforeAttempt",
  after_attempt: "afterAttempt",
  after_exit: "afterExit",
  task_transition: "taskTransition",
} as const satisfies Readonly<Record<RunEventName, string>>;
export type PhaseMethod = (typeof PHASE_METHODS)[RunEventName];

interface TaskContext {
  readonly id: string;
  readonly title: string;
  readonly body: string;
  readonly status: TaskStatus;
  readonly notes: string;
}

export interface RunHookContext {
  readonly schemaVersion: 1;
  readonly phase: PhaseMethod;
  readonly assignment: { readonly name: string; readonly sourcePath: string | null } | null;
  readonly run: {
    readonly runId: string;
    readonly repo: string;
    readonly status: string;
    readonly backend: string;
    readonly model: string | null;
    readonly effort: string | null;
    readonly cwd: string;
    readonly workspaceDir: string;
    readonly name: string | null;
    readonly note: string | null;
    readonly pinned: boolean;
    readonly backendSessionId: string | null;
    readonly totalAttemptCount: number;
    readonly maxAttemptsPerSession: number;
    readonly totalSessionCount: number;
  };
  readonly vars: JsonObject;
  readonly state: JsonObject;
  readonly attachments: readonly {
    readonly id: string;
    readonly name: string;
    readonly mimeType: string;
    readonly size: number;
    readonly sha256: string;
    readonly addedAt: string;
    readonly relativePath: string;
  }[];
  readonly tasks: { readonly items: readonly TaskContext[]; readonly completed: number; readonly total: number };
  readonly config: Json;
}

export interface PrepareHookContext extends RunHookContext {
  readonly defaultInitialPrompt: string;
  readonly currentInitialPrompt: string;
  readonly initialLockedFields: readonly string[];
}

export interface AttemptHookContext extends RunHookContext {
  readonly attemptPrompt: string;
  readonly retriesRemaining: number;
  readonly sessionIndex: number;
  readonly attemptIndexInSession: number;
  /** In afterAttempt. */
  readonly attemptResult?: {
    readonly exitCode: number | null;
    readonly signal: string | null;
    readonly timedOut: boolean;
    readonly transcript: string;
    readonly rawStdout: string;
    readonly rawStderr: string;
    readonly sessionId: string | null;
    readonly aborted: boolean;
  };
}

export interface TaskTransitionHookContext extends RunHookContext {
  readonly transition: {
    readonly taskId: string;
    readonly source: string;
    readonly from: Pick<TaskContext, "status" | "notes"> | null;
    /** Of a task that is being deleted: as it was. */
    readonly to: Omit<TaskContext, "id">;
    readonly tentative: true;
    readonly changedFields: readonly ("status" | "notes" | "title" | "body")[];
  };
}

/** What prepare and the phases of an attempt answer; nothing: no opinion. */
export type RunHookResult = { readonly mutate?: Mutation } & (
  | { readonly action: "continue" }
  | { readonly action: "reinvoke"; readonly followUpPrompt: string }
  | { readonly action: "block"; readonly reason: string }
);

export type TaskTransitionResult = { readonly mutate?: Mutation } & (
  | { readonly accept: true }
  | { readonly accept: false; readonly reason: string }
);

export type AnyRunHookContext = PrepareHookContext | AttemptHookContext | TaskTransitionHookContext;

export function contextOf(event: RunEventOf): AnyRunHookContext {
  const { run, assignment, tasks, vars, state, attachments, config } = event;
  const common: RunHookContext = {
    schemaVersion: 1,
    phase: PHASE_METHODS[event.name],
    assignment: assignment && { name: assignment.name, sourcePath: assignment.file },
    run: {
      runId: run.id,
      repo: run.repo,
      status: run.status,
      backend: run.backend,
      model: run.model,
      effort: run.effort,
      cwd: run.cwd,
      workspaceDir: run.directory,
      name: run.name,
      note: run.note,
      pinned: run.isPinned,
      backendSessionId: run.backendSession,
      totalAttemptCount: run.attempts,
      maxAttemptsPerSession: run.maxAttemptsPerSession,
      totalSessionCount: run.sessions,
    },
    vars,
    state,
    attachments: attachments.map(({ bytes, ...rest }) => ({
      ...rest,
      size: bytes,
      relativePath: `attachments/${rest.id}/${rest.name}`,
    })),
    tasks: {
      items: tasks,
      completed: tasks.filter(({ status }) => status === "completed").length,
      total: tasks.length,
    },
    config,
  };
  return { ...common, ...momentOf(event) } as AnyRunHookContext;
}

function momentOf(event: RunEventOf): object {
  if (event.name === "prepare") {
    return {
      defaultInitialPrompt: event.defaultPrompt,
      currentInitialPrompt: event.prompt,
      initialLockedFields: event.run.lockedFields,
    };
  }
  if (event.name === "task_transition") {
    const { taskId, source, from, to, changedFields } = event;
    const { id: _id, ...shown } = to ?? from ?? { id: taskId };
    return {
      transition: {
        taskId,
        source,
        from: from && { status: from.status, notes: from.notes },
        to: shown,
        tentative: true,
        changedFields,
      },
    };
  }
  const attempt = {
    attemptPrompt: event.prompt,
    retriesRemaining: event.retriesRemaining,
    sessionIndex: event.sessionIndex,
    attemptIndexInSession: event.attemptIndex,
  };
  if (event.name !== "after_attempt") return attempt;
  const { exitCode, signal, isTimedOut, transcript, stdout, stderr, session, isAborted } = event.outcome;
  return {
    ...attempt,
    attemptResult: {
      exitCode,
      signal,
      timedOut: isTimedOut,
      transcript,
      rawStdout: stdout,
      rawStderr: stderr,
      sessionId: session,
      aborted: isAborted,
    },
  };
}

/** The verdict behind a result. Nothing at all is no opinion; everything else must be one of the shapes, whole. */
export function verdictOfResult(result: Json | undefined, event: RunEventName): Verdict {
  if (result === undefined || result === null) return NO_OPINION;
  if (!isJsonObject(result))
    throw invalid(`answered ${JSON.stringify(result).slice(0, 80)}; ${EXPECTED[kindOf(event)]}`);
  const keys = kindOf(event) === "edit" ? EDIT_KEYS : ATTEMPT_KEYS;
  for (const key of Object.keys(result)) {
    if (keys.includes(key)) continue;
    const meant = nearest(key, keys);
    throw invalid(`answered "${key}", which is no part of an answer${meant ? `; did you mean ${meant}?` : ""}`);
  }
  const { mutate } = result;
  if (mutate !== undefined && !isJsonObject(mutate)) throw invalid("answered mutate with something that is no object");
  const opinion = kindOf(event) === "edit" ? editOpinion(result) : attemptOpinion(result);
  if (event !== "after_exit" || opinion.kind === "none") return { opinion, mutate: mutate ?? {} };
  const message = `answered ${opinion.kind} after the run had ended, which changes nothing any more`;
  const notice = { event_name: event, message, is_error: false, code: "control-ignored", hook: null };
  return { opinion: { kind: "none" }, mutate: mutate ?? {}, effects: [{ type: "notice", notice }] };
}

type Kind = "attempt" | "edit";
const kindOf = (event: RunEventName): Kind => (event === "task_transition" ? "edit" : "attempt");
const ATTEMPT_KEYS: readonly string[] = ["action", "followUpPrompt", "reason", "mutate"];
const EDIT_KEYS: readonly string[] = ["accept", "reason", "mutate"];
const EXPECTED: Readonly<Record<Kind, string>> = {
  attempt: `answer { action: "continue" }, { action: "reinvoke", followUpPrompt } or { action: "block", reason }`,
  edit: "answer { accept: true } or { accept: false, reason }",
};

function editOpinion({ accept, reason }: JsonObject): Opinion {
  if (accept === true) return { kind: "allow" };
  if (accept === false) return { kind: "block", reason: textOf(reason, "reason", "a refusal") };
  throw invalid(`answered accept: ${JSON.stringify(accept ?? null)}; ${EXPECTED.edit}`);
}

function attemptOpinion({ action, reason, followUpPrompt }: JsonObject): Opinion {
  switch (action) {
    case "continue":
      return { kind: "none" };
    case "block":
      return { kind: "block", reason: textOf(reason, "reason", "a block") };
    case "reinvoke":
      return { kind: "reinvoke", prompt: textOf(followUpPrompt, "followUpPrompt", "a reinvoke") };
    default:
      throw invalid(`answered action: ${JSON.stringify(action ?? null)}; ${EXPECTED.attempt}`);
  }
}

function textOf(value: Json | undefined, key: string, what: string): string {
  if (typeof value === "string" && value.trim() !== "") return value;
  throw invalid(`answered ${what} without ${key}; it must be a text that is not blank`);
}

const invalid = (message: string) => new HookFailure("invalid-answer", message);
