/** The event that a hook of a phase is asked about: the run as it stands at that moment. */
import { randomUUID } from "node:crypto";
import type { AgentEvent, EventName } from "../../core/event.ts";
import type { Json } from "../../core/json.ts";
import { shownVars, valuesOf } from "../assignment/vars.ts";
import type { Phase, Run } from "../run.ts";
import { NESTED_IN } from "../task-change.ts";
import type { Moment, Transition } from "./phase.ts";

export const EVENT_OF = {
  prepare: "prepare",
  beforeAttempt: "before_attempt",
  afterAttempt: "after_attempt",
  afterExit: "after_exit",
  taskTransition: "task_transition",
} as const satisfies Readonly<Record<Phase, EventName>>;

/** How rules (`hosts:`) and records call what fires these events. */
export const RUN_HOST = "run";

export interface EventRequest {
  readonly run: Run;
  readonly moment: Moment;
  readonly directory: string;
  readonly prompt: string;
  readonly at: Date;
  /** undefined: what comes from the environment is only named, as records have it. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly config?: Json;
}

export function phaseEvent({ run, moment, directory, prompt, at, env, config = null }: EventRequest): AgentEvent {
  const { settings } = run;
  const { cwd, backend, model, effort, maxRetries } = settings;
  const common = {
    id: randomUUID(),
    at: at.toISOString(),
    host: RUN_HOST,
    session: run.id,
    turn: turnOf(moment),
    agent: null,
    parentAgent: null,
    cwd,
    permissionMode: settings.unrestricted ? ("bypass" as const) : ("default" as const),
    model: model ?? "",
    transcriptPath: null,
    assignment: run.assignment,
    run: {
      id: run.id,
      repo: run.repo,
      status: run.status,
      backend,
      model,
      effort,
      cwd,
      directory,
      name: run.name,
      note: run.note,
      isPinned: run.isPinned,
      backendSession: run.backendSession,
      attempts: run.attempts.length,
      maxAttemptsPerSession: maxRetries + 1,
      sessions: run.sessions.length,
      lockedFields: run.lockedFields,
    },
    vars: env ? valuesOf(run.vars, env) : shownVars(run.vars),
    state: run.state,
    attachments: run.attachments,
    tasks: run.tasks,
    config,
  };
  const edit = moment.phase === "taskTransition" ? { edit: env?.[NESTED_IN] ?? null } : {};
  return { ...common, ...payloadOf(moment, prompt, run), ...edit } as AgentEvent;
}

function payloadOf(moment: Moment, prompt: string, run: Run): object {
  switch (moment.phase) {
    case "prepare":
      return { name: EVENT_OF.prepare, defaultPrompt: promptOf(moment, run), prompt };
    case "taskTransition":
      return { name: EVENT_OF.taskTransition, ...transitionOf(moment.transition) };
    default: {
      const { phase, sessionIndex, attemptIndex, retriesRemaining } = moment;
      const attempt = { name: EVENT_OF[phase], prompt, sessionIndex, attemptIndex, retriesRemaining };
      if (moment.phase === "afterExit") return { ...attempt, status: run.status };
      if (moment.phase !== "afterAttempt") return attempt;
      const { isSessionUnknown: _unknown, ...outcome } = moment.result;
      return { ...attempt, outcome };
    }
  }
}

/** What the phase is about to say, or said, before any hook has changed it. */
export function promptOf(moment: Moment, run: Run): string {
  if (!("prompt" in moment)) return "";
  return typeof moment.prompt === "string" ? moment.prompt : moment.prompt(run);
}

function transitionOf({ taskId, source, before, after }: Transition): object {
  const changedFields = (["status", "notes", "title", "body"] as const).filter(
    (field) => before?.[field] !== after?.[field],
  );
  return {
    taskId,
    source,
    from: before,
    to: after,
    fromStatus: before?.status ?? null,
    toStatus: after?.status ?? null,
    changedFields,
  };
}

const turnOf = (moment: Moment): string =>
  "sessionIndex" in moment ? `${moment.sessionIndex}.${moment.attemptIndex}` : moment.phase;
