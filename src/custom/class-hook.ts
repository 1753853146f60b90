/**
 * The class style of writing a hook: extend the class of its moment, fill in `execute`. The same contract as defineHook
 * underneath; what a class cannot say (a post hook that blocks) is refused, not ignored.
 */
import type { Effect } from "../core/effect.ts";
import type { AgentEvent, EventOf } from "../core/event.ts";
import { HookFailure } from "../core/failure.ts";
import { type Hook, inOrder, type JudgeContext, type Layer, type OnError } from "../core/hook.ts";
import type { Json, JsonObject } from "../core/json.ts";
import { nearest } from "../core/nearest.ts";
import { NO_OPINION, type Verdict } from "../core/verdict.ts";
import { textsOf } from "./answer.ts";
import { type HookData, onErrorOf } from "./define-hook.ts";
import { namePattern } from "./module-glob.ts";
import { isPlainObject, toJson, typeName } from "./module-json.ts";
import { withinTime } from "./within-time.ts";

export type HookPoint = "pre_tool_use" | "post_tool_use" | "session_start";

/** The event in the words of the class style; `event` is all of it. */
export interface HookContext<P extends HookPoint = HookPoint> {
  readonly hookPoint: P;
  readonly toolName: P extends "session_start" ? null : string;
  readonly toolArgs: P extends "session_start" ? null : JsonObject;
  readonly toolResult: P extends "post_tool_use" ? Json : null;
  /** The sub-agent that acts; null: the main agent. */
  readonly agentId: string | null;
  readonly userId: string | null;
  readonly conversationId: string;
  readonly orgId: string | null;
  readonly toolCallId: string | null;
  readonly requiresConfirmation: boolean;
  readonly metadata: JsonObject;
  readonly event: EventOf<P>;
}

interface AnyResult {
  /** What the hook did, for the trace. */
  readonly sideEffects?: readonly string[];
  /** Text for the model. */
  readonly context?: string | readonly string[];
}

export interface PreToolUseResult extends AnyResult {
  /** false refuses the call. true or absent: no objection; it approves nothing on a person's behalf. */
  readonly allow?: boolean;
  /** Why the call is refused. */
  readonly error?: string;
  readonly modifiedArgs?: JsonObject;
}

export interface PostToolUseResult extends AnyResult {
  readonly allow?: true;
  readonly modifiedResult?: Json;
}

export interface SessionStartResult extends AnyResult {
  readonly allow?: true;
}

export type HookResult<P extends HookPoint> = {
  readonly pre_tool_use: PreToolUseResult;
  readonly post_tool_use: PostToolUseResult;
  readonly session_start: SessionStartResult;
}[P];

// biome-ignore lint/suspicious/noConfusingVoidType: a hook without a return statement has no opinion
type Executed<P extends HookPoint> = HookResult<P> | undefined | void;

/** Survives two copies of this package in one process, as a module's and the runner's. */
const POINT = Symbol.for("holdfast.class-hook");

export abstract class ClassHook<P extends HookPoint = HookPoint> {
  abstract readonly name: string;
  /** Lower runs first. */
  readonly priority: number = 50;
  declare readonly description?: string;
  /** Glob on the tool's name; without it every tool. */
  declare readonly toolFilter?: string;
  /** What a failure of this hook means. Default: block before a tool runs, continue elsewhere. */
  declare readonly onError?: OnError;
  declare readonly timeoutMs?: number;
  protected abstract readonly [POINT]: P;

  shouldTrigger(_ctx: HookContext<P>): boolean | Promise<boolean> {
    return true;
  }

  abstract execute(ctx: HookContext<P>, context: JudgeContext): Executed<P> | Promise<Executed<P>>;
}

/** Runs after the model picked a tool, before the tool runs. May refuse the call or change its arguments. */
export abstract class PreToolUseHook extends ClassHook<"pre_tool_use"> {
  protected get [POINT]() {
    return "pre_tool_use" as const;
  }
}

/** Runs after the tool returned, before the model sees the result. May change the result; cannot block. */
export abstract class PostToolUseHook extends ClassHook<"post_tool_use"> {
  protected get [POINT]() {
    return "post_tool_use" as const;
  }
}

/** Runs before the first model call of a session. May tell the model something; cannot block. */
export abstract class SessionStartHook extends ClassHook<"session_start"> {
  protected get [POINT]() {
    return "session_start" as const;
  }
}

/** Class hooks in the order they run: ascending priority, ties as registered. */
export class HookRegistry {
  #hooks: readonly ClassHook[] = [];

  register(hook: ClassHookOf<HookPoint>): this {
    if (!isClassHook(hook)) {
      throw new HookFailure("not-loaded", `register takes an instance of a class hook, not ${typeName(hook)}`);
    }
    classHookData(hook);
    this.#hooks = [...this.#hooks, hook];
    return this;
  }

  /** Removes every hook of that name; false: there was none. */
  unregister(name: string): boolean {
    const kept = this.#hooks.filter((hook) => hook.name !== name);
    const removed = kept.length < this.#hooks.length;
    this.#hooks = kept;
    return removed;
  }

  list(point?: HookPoint): readonly ClassHook[] {
    const asked = this.#hooks.filter((hook) => point === undefined || pointOf(hook) === point);
    return inOrder(asked.map((hook) => ({ hook, priority: hook.priority, layer: "user" as const }))).map(
      ({ hook }) => hook,
    );
  }

  get size(): number {
    return this.#hooks.length;
  }

  /** The same hooks for the engine. */
  hooks(layer: Layer = "user"): Hook[] {
    return this.list().map((hook) => {
      const { name, on, when, priority = 50 } = classHookData(hook);
      const judge: Hook["judge"] = (event, context) =>
        withinTime(judgeClassHook(hook, event, context), hook.timeoutMs, context.signal);
      return {
        name,
        source: `class ${hook.constructor.name || name}`,
        layer,
        priority,
        on,
        ...(when?.tool !== undefined ? { when: { tool: namePattern(when.tool) } } : {}),
        onError: onErrorOf({ on, ...(hook.onError ? { onError: hook.onError } : {}) }),
        judge,
      };
    });
  }
}

type ClassHookOf<P extends HookPoint> = P extends HookPoint ? ClassHook<P> : never;

export const isClassHook = (value: unknown): value is ClassHook =>
  typeof value === "object" && value !== null && POINTS.includes(pointOf(value as ClassHook));

const pointOf = (hook: ClassHook): HookPoint => (hook as unknown as { readonly [POINT]: HookPoint })[POINT];

const POINTS: readonly HookPoint[] = ["pre_tool_use", "post_tool_use", "session_start"];

/** What a class hook says of itself, checked. */
export function classHookData(hook: ClassHook): HookData {
  const { name, priority, description, toolFilter, onError, timeoutMs } = hook;
  const label = hook.constructor.name || "a class hook";
  const wrong = (message: string) => new HookFailure("not-loaded", `${label}: ${message}`);
  if (typeof name !== "string" || name.trim() === "") throw wrong('has no name; give it one: name = "my-hook"');
  if (typeof hook.execute !== "function") throw wrong("has no execute method");
  if (!Number.isFinite(priority)) throw wrong(`priority must be a number, not ${typeName(priority)}`);
  if (toolFilter !== undefined && typeof toolFilter !== "string") throw wrong("toolFilter must be a glob");
  if (onError !== undefined && onError !== "block" && onError !== "continue") {
    throw wrong(`onError must be block or continue, not ${String(onError)}`);
  }
  if (timeoutMs !== undefined && !(Number.isFinite(timeoutMs) && timeoutMs > 0)) {
    throw wrong("timeoutMs must be a number above 0");
  }
  return {
    name,
    on: [pointOf(hook)],
    priority,
    ...(toolFilter !== undefined ? { when: { tool: toolFilter } } : {}),
    ...(onError !== undefined ? { onError } : {}),
    ...(timeoutMs !== undefined ? { timeoutMs } : {}),
    ...(typeof description === "string" ? { description } : {}),
  };
}

export async function judgeClassHook(hook: ClassHook, event: AgentEvent, context: JudgeContext): Promise<Verdict> {
  if (event.name !== pointOf(hook)) return NO_OPINION;
  const ctx = contextOf(event as EventOf<HookPoint>);
  if (!(await hook.shouldTrigger(ctx))) return NO_OPINION;
  return verdictOf(await hook.execute(ctx, context), ctx.hookPoint);
}

function contextOf(event: EventOf<HookPoint>): HookContext {
  const metadata = event.metadata ?? {};
  const tool = event.name === "session_start" ? undefined : event.tool;
  return {
    hookPoint: event.name,
    toolName: tool?.name ?? null,
    toolArgs: tool?.input ?? null,
    toolResult: event.name === "post_tool_use" ? event.response : null,
    agentId: event.agent,
    userId: event.user ?? null,
    conversationId: event.session,
    orgId: event.organisation ?? null,
    toolCallId: tool?.id ?? null,
    requiresConfirmation: metadata.requires_confirmation === true,
    metadata,
    event,
  } as HookContext;
}

const RESULT_KEYS: { readonly [P in HookPoint]: readonly string[] } = {
  pre_tool_use: ["allow", "error", "modifiedArgs", "sideEffects", "context"],
  post_tool_use: ["allow", "modifiedResult", "sideEffects", "context"],
  session_start: ["allow", "sideEffects", "context"],
};

function verdictOf(result: unknown, point: HookPoint): Verdict {
  if (result === undefined) return NO_OPINION;
  if (!isPlainObject(result)) throw invalid(`execute returned ${typeName(result)}; return an object, or nothing`);
  const known = RESULT_KEYS[point];
  const given = Object.fromEntries(Object.entries(result).filter(([, value]) => value !== undefined));
  for (const key of Object.keys(given)) {
    if (known.includes(key)) continue;
    const meant = nearest(key, known);
    const help = meant ? `did you mean ${meant}?` : `it can return ${known.join(", ")}`;
    throw invalid(`returned "${key}", which a ${point} hook cannot; ${help}`);
  }
  const { allow, error, modifiedArgs, modifiedResult, sideEffects, context } = given;
  if (allow !== undefined && typeof allow !== "boolean") throw invalid(`returned allow: ${typeName(allow)}`);
  if (error !== undefined && typeof error !== "string") throw invalid(`returned error: ${typeName(error)}`);
  if (allow === false && point !== "pre_tool_use") {
    throw invalid(`returned allow: false, but a ${point} hook cannot block; only PreToolUseHook can`);
  }
  if (allow !== false && error !== undefined) {
    throw invalid("returned an error without allow: false; to refuse the call, return both");
  }
  if (allow === false && modifiedArgs !== undefined) {
    throw invalid("returned modifiedArgs for a call that it refuses");
  }
  const rewrite = point === "pre_tool_use" ? modifiedArgs : modifiedResult;
  const name = point === "pre_tool_use" ? "modifiedArgs" : "modifiedResult";
  return {
    opinion: allow === false ? { kind: "block", reason: typeof error === "string" ? error : "" } : { kind: "none" },
    ...(rewrite !== undefined ? { rewrite: toJson(rewrite, name) } : {}),
    ...(context !== undefined ? { context: textsOf(context, "context") } : {}),
    ...(sideEffects !== undefined ? { effects: textsOf(sideEffects, "sideEffects").map(note) } : {}),
  };
}

const note = (data: string): Effect => ({ type: "note", data });

const invalid = (message: string) => new HookFailure("invalid-answer", message);
