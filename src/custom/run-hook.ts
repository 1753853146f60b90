/**
 * A hook of runs in the style of agent-runner: an object with a name and a method for each phase it serves. Modules
 * written for agent-runner have exactly this shape and run unchanged.
 */
import type { AgentEvent } from "../core/event.ts";
import { HookFailure } from "../core/failure.ts";
import type { JudgeContext, OnError } from "../core/hook.ts";
import { nearest } from "../core/nearest.ts";
import {
  type AttemptHookContext,
  contextOf,
  PHASE_METHODS,
  type PrepareHookContext,
  RUN_EVENTS,
  type RunEventOf,
  type RunHookResult,
  type TaskTransitionHookContext,
  type TaskTransitionResult,
  verdictOfResult,
} from "../core/run-contract.ts";
import type { Verdict } from "../core/verdict.ts";
import type { HookData } from "./define-hook.ts";
import { isPlainObject, toJson } from "./module-json.ts";

// biome-ignore lint/suspicious/noConfusingVoidType: a method without a return statement has no opinion
type Answered<R> = R | null | undefined | void | Promise<R | null | undefined | void>;

/** Besides what agent-runner tells a hook. */
interface Ours {
  /** Aborted when the hook's time is up or nobody waits for it any more. */
  readonly signal: AbortSignal;
  /** Around a task edit: for HOLDFAST_TASK_EDIT of programs it starts, so that what they edit is part of this edit. */
  readonly edit?: string;
}

export interface RunHook {
  /** How people refer to it. */
  readonly name: string;
  readonly description?: string;
  /** What a failure of this hook means. Default: block; after the run's end continue. */
  readonly onError?: OnError;
  readonly timeoutMs?: number;
  readonly on?: undefined;
  readonly judge?: undefined;
  /** A function has a name too, and is no hook. */
  readonly call?: undefined;
  /** Once, before the run is written down. */
  prepare?(ctx: PrepareHookContext & Ours): Answered<RunHookResult>;
  beforeAttempt?(ctx: AttemptHookContext & Ours): Answered<RunHookResult>;
  afterAttempt?(ctx: Required<AttemptHookContext> & Ours): Answered<RunHookResult>;
  afterExit?(ctx: AttemptHookContext & Ours): Answered<RunHookResult>;
  taskTransition?(ctx: TaskTransitionHookContext & Ours): Answered<TaskTransitionResult>;
}

/** An object with a name and neither `on` nor `judge`, which our own hooks have. */
export const isRunHook = (value: unknown): value is RunHook =>
  isPlainObject(value) && typeof value.name === "string" && !("on" in value) && !("judge" in value);

/** Throws HookFailure("not-loaded") on a phase that is misspelt or no function. */
export function runHookData(hook: RunHook): HookData {
  const { name, description, onError, timeoutMs } = hook;
  const methods: readonly string[] = Object.values(PHASE_METHODS);
  for (const [key, value] of Object.entries(hook)) {
    if (methods.includes(key) && typeof value !== "function") throw notLoaded(name, `${key} must be a function`);
    const meant = typeof value === "function" && !methods.includes(key) ? nearest(key, methods) : undefined;
    if (meant) throw notLoaded(name, `there is no phase ${key}; did you mean ${meant}?`);
  }
  return {
    name,
    on: RUN_EVENTS.filter((event) => typeof hook[PHASE_METHODS[event]] === "function"),
    ...(description === undefined ? {} : { description }),
    ...(onError === undefined ? {} : { onError }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  };
}

export async function judgeRunHook(
  hook: RunHook,
  event: AgentEvent,
  { options, signal }: JudgeContext,
): Promise<Verdict> {
  const asked = event as RunEventOf;
  const method = hook[PHASE_METHODS[asked.name]] as ((ctx: unknown) => unknown) | undefined;
  if (!method) throw notLoaded(hook.name, `it has no method for ${event.name}`);
  const { config, ...context } = contextOf(asked);
  // In holdfast.yaml, `with` reaches a hook as its options.
  const given = config ?? (Object.keys(options).length > 0 ? options : null);
  const edit = "edit" in asked && asked.edit !== null ? { edit: asked.edit } : {};
  const result = await method.call(hook, { ...context, ...edit, config: given, signal });
  return verdictOfResult(
    result === undefined || result === null ? undefined : toJson(result, "its result"),
    asked.name,
  );
}

const notLoaded = (name: string, message: string) => new HookFailure("not-loaded", `hook ${name}: ${message}`);
