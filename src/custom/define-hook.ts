/** How people write a hook: one object. The types say what its events carry and may be answered. */
import {
  canonicalEventName,
  EVENT_NAMES,
  type EventName,
  type EventOf,
  eventRow,
  type ToolEvent,
} from "../core/event.ts";
import { HookFailure } from "../core/failure.ts";
import { checkFields, type Fields, type ShapeOf } from "../core/fields.ts";
import type { JudgeContext, OnError } from "../core/hook.ts";
import type { JsonObject } from "../core/json.ts";
import { nearest } from "../core/nearest.ts";
import { TOOL_KINDS, type ToolKind } from "../core/tool.ts";
import type { Verdict } from "../core/verdict.ts";
import { globProblem } from "../core/written-glob.ts";
import { type AnswerKey, type AnswerTo, toVerdict } from "./answer.ts";
import { isPlainObject, typeName } from "./module-json.ts";
import { isRunHook, type RunHook, runHookData } from "./run-hook.ts";

/** When a hook is asked, as data. Globs are compiled by whoever runs the hook. */
export interface WhenData {
  readonly kinds?: readonly ToolKind[];
  readonly tool?: string;
  readonly command?: string;
  readonly paths?: string;
  readonly hosts?: readonly string[];
}

/** Everything about a hook that is not code. */
export interface HookData {
  readonly name: string;
  readonly on: readonly EventName[];
  readonly when?: WhenData;
  readonly onError?: OnError;
  readonly timeoutMs?: number;
  readonly priority?: number;
  readonly description?: string;
  /** What the hook expects in `with:`. */
  readonly options?: Fields;
}

export interface HookDefinition extends HookData {
  // biome-ignore lint/suspicious/noExplicitAny: each hook takes the events of its own `on`
  judge(event: any, context: any): unknown;
}

type Choice<T extends string> = T | readonly T[];
type KindOf<K extends ToolKind, C extends string> = [C] extends [never] ? K : "shell";
type OptionsOf<F extends Fields> = [F] extends [never] ? JsonObject : ShapeOf<F>;
// biome-ignore lint/suspicious/noConfusingVoidType: a judge without a return statement has no opinion
type Returned<N extends EventName> = AnswerTo<N> | undefined | void;

/** Compilers let a callback return more keys than were asked for; this names the ones that are no answer. */
type Misspelt<R> = Awaited<R> extends infer A ? (A extends object ? Exclude<keyof A, AnswerKey> : never) : never;
type Spelt<R> = [Misspelt<R>] extends [never]
  ? unknown
  : { readonly error: `"${Misspelt<R> & string}" is not an answer` };

/** Only calls of tools have a kind, a command and paths; on other events such a filter would switch the hook off. */
type ToolFilters<N extends EventName> = [N] extends [ToolEvent["name"]]
  ? unknown
  : { readonly kind?: undefined; readonly tool?: undefined; readonly command?: undefined; readonly paths?: undefined };

export interface AuthoredHook<
  N extends EventName,
  R extends Returned<N> | Promise<Returned<N>>,
  K extends ToolKind,
  C extends string,
  F extends Fields,
> {
  /** How people refer to it, in traces, notices and settings. */
  readonly name: string;
  readonly on: readonly N[];
  /** Asked only where all of these hold. Narrows the type of the event's tool. */
  readonly when?: {
    readonly kind?: Choice<K>;
    /** Glob on the tool's name. */
    readonly tool?: string;
    /** Glob on the shell command. */
    readonly command?: C;
    /** Glob on any path the call names. */
    readonly paths?: string;
    readonly hosts?: Choice<string>;
  } & ToolFilters<N>;
  /** What a failure of this hook means. Default: block on events that guard, continue on others. */
  readonly onError?: OnError;
  readonly timeoutMs?: number;
  /** Lower runs first. */
  readonly priority?: number;
  readonly description?: string;
  /** The shape of the `with:` it takes; checked before it is asked. */
  readonly options?: F;
  judge(
    event: EventOf<N, KindOf<K, C>>,
    context: Omit<JudgeContext, "options"> & { readonly options: OptionsOf<F> },
  ): R & Spelt<R>;
}

/** Declares a hook. Throws HookFailure("not-loaded") on a declaration that cannot be meant. */
export function defineHook<
  const N extends EventName,
  R extends Returned<N> | Promise<Returned<N>>,
  const K extends ToolKind = ToolKind,
  const C extends string = never,
  const F extends Fields = never,
>(hook: AuthoredHook<N, R, K, C, F>): HookDefinition;
/** Declares a hook of runs, a method for each phase it serves. */
export function defineHook(hook: RunHook): RunHook;
/** Once more: of several forms TypeScript explains what is wrong by the last, and this is the one most hooks have. */
export function defineHook<
  const N extends EventName,
  R extends Returned<N> | Promise<Returned<N>>,
  const K extends ToolKind = ToolKind,
  const C extends string = never,
  const F extends Fields = never,
>(hook: AuthoredHook<N, R, K, C, F>): HookDefinition;
export function defineHook(hook: unknown): HookDefinition | RunHook {
  if (!isRunHook(hook)) return readDefinition(hook);
  runHookData(hook);
  return hook;
}

/** Survives two copies of this package in one process, as a module's and the runner's. */
const DEFINED = Symbol.for("holdfast.defined-hook");

export const isDefinition = (value: unknown): value is HookDefinition =>
  isPlainObject(value) && (value as { [DEFINED]?: unknown })[DEFINED] === true;

/** What a failure means where a hook does not say: closed for what guards. */
export const onErrorOf = ({ on, onError }: Pick<HookData, "on" | "onError">): OnError =>
  onError ?? (on.some((name) => eventRow(name).guards) ? "block" : "continue");

/** At once where the hook answers at once. */
export function judgeDefinition(
  definition: HookDefinition,
  event: EventOf<EventName>,
  context: JudgeContext,
): Verdict | Promise<Verdict> {
  const [problem] = definition.options ? checkFields(context.options, definition.options) : [];
  if (problem)
    throw notLoaded(definition.name, `its option ${problem.path.join(".")} does not fit: ${problem.message}`);
  const answer: unknown = definition.judge(event, context);
  return isThenable(answer)
    ? Promise.resolve(answer).then((settled) => toVerdict(settled, event.name))
    : toVerdict(answer, event.name);
}

const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  typeof (value as { then?: unknown } | null | undefined)?.then === "function";

function readDefinition(hook: unknown): HookDefinition {
  if (!isPlainObject(hook)) throw notLoaded(undefined, `defineHook takes one object, not ${typeName(hook)}`);
  const name = typeof hook.name === "string" ? hook.name : undefined;
  for (const key of Object.keys(hook)) {
    if (!Object.hasOwn(PROBLEMS, key))
      throw notLoaded(name, `unknown key "${key}"${meant(key, Object.keys(PROBLEMS))}`);
  }
  for (const [key, problemOf] of Object.entries(PROBLEMS)) {
    const value = hook[key];
    if (value === undefined && !REQUIRED.includes(key)) continue;
    const problem = problemOf(value, hook);
    if (problem) throw notLoaded(name, problem);
  }
  const authored = hook as unknown as AuthoredHook<EventName, undefined, ToolKind, string, Fields>;
  const { when, judge, ...rest } = authored;
  const given = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined)) as typeof rest;
  return Object.freeze({
    ...given,
    ...(when ? { when: whenData(when) } : {}),
    judge: judge.bind(authored) as HookDefinition["judge"],
    [DEFINED]: true,
  });
}

type Unread = { readonly [key: string]: unknown };
type Problem = (value: unknown, hook: Unread) => string | undefined;

/** In the order they are read; undefined: nothing is wrong. */
const PROBLEMS: { readonly [K in keyof HookDefinition]-?: Problem } = {
  name: (value) => (isName(value) ? undefined : `name must be a short text on one line, not ${shown(value)}`),
  on: eventProblem,
  when: whenProblem,
  onError: (value) => oneOfProblem("onError", value, ["block", "continue"]),
  timeoutMs: (value) =>
    typeof value === "number" && value > 0 && Number.isFinite(value) ? undefined : `timeoutMs must be a number above 0`,
  priority: (value) => (Number.isFinite(value) ? undefined : `priority must be a number, not ${shown(value)}`),
  description: (value) => (typeof value === "string" ? undefined : `description must be a string`),
  options: optionsProblem,
  judge: (value) => (typeof value === "function" ? undefined : `judge must be a function, not ${shown(value)}`),
};

const REQUIRED: readonly string[] = ["name", "on", "judge"];

function isName(value: unknown): boolean {
  return typeof value === "string" && value.trim() !== "" && value.length <= 80 && !/\p{Cc}/u.test(value);
}

function eventProblem(on: unknown): string | undefined {
  if (!Array.isArray(on) || on.length === 0) return `on must be a list of events, as in on: ["pre_tool_use"]`;
  const unknown = on.find((name) => !(EVENT_NAMES as readonly unknown[]).includes(name));
  if (unknown === undefined) return undefined;
  const spelling = typeof unknown === "string" ? canonicalEventName(unknown) : undefined;
  const hint = spelling ? `; did you mean ${spelling}?` : meant(String(unknown), EVENT_NAMES);
  return `on names an unknown event ${shown(unknown)}${hint || `; events are ${EVENT_NAMES.join(", ")}`}`;
}

function optionsProblem(options: unknown): string | undefined {
  if (!isPlainObject(options)) return `options must be an object of fields, not ${shown(options)}`;
  const wrong = Object.keys(options).find((key) => {
    const field = options[key];
    return !(isPlainObject(field) && isPlainObject(field.spec));
  });
  return wrong ? `options.${wrong} must be a field, as in ${wrong}: fields.text()` : undefined;
}

const TOOL_FILTERS: readonly string[] = ["kind", "tool", "command", "paths"];
const FILTERS: readonly string[] = [...TOOL_FILTERS, "hosts"];

function whenProblem(when: unknown, { on }: Unread): string | undefined {
  if (!isPlainObject(when)) return `when must be an object, not ${shown(when)}`;
  const toolless = (on as readonly EventName[]).find((name) => !eventRow(name).tool);
  for (const [key, value] of Object.entries(when)) {
    if (!FILTERS.includes(key)) return `when has an unknown key "${key}"${meant(key, FILTERS)}`;
    if (value === undefined) continue;
    if (TOOL_FILTERS.includes(key) && toolless) {
      return `when.${key} is about a tool call, but ${toolless} has none, so the hook would never be asked; make it two hooks`;
    }
    const wrong = key === "kind" || key === "hosts" ? listProblem(key, value) : textProblem(key, value);
    if (wrong) return wrong;
    const unusable = key === "paths" ? globProblem(value as string) : undefined;
    if (unusable) return `when.paths: ${unusable}`;
  }
  return undefined;
}

function listProblem(key: "kind" | "hosts", value: unknown): string | undefined {
  const items: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (items.length === 0) return `when.${key} is empty, so the hook would never be asked`;
  for (const item of items) {
    const wrong = key === "kind" ? oneOfProblem("when.kind", item, TOOL_KINDS) : textProblem(key, item);
    if (wrong) return wrong;
  }
  return undefined;
}

const textProblem = (key: string, value: unknown) =>
  typeof value === "string" && value !== "" ? undefined : `when.${key} must be a text, not ${shown(value)}`;

function oneOfProblem(key: string, value: unknown, known: readonly string[]): string | undefined {
  if (typeof value === "string" && known.includes(value)) return undefined;
  return `${key} must be one of ${known.join(", ")}, not ${shown(value)}${meant(String(value), known)}`;
}

function whenData({ kind, hosts, ...globs }: NonNullable<AnyAuthoredWhen>): WhenData {
  const given = Object.fromEntries(Object.entries(globs).filter(([, value]) => value !== undefined));
  return {
    ...(given as Pick<WhenData, "tool" | "command" | "paths">),
    ...(kind !== undefined ? { kinds: [kind].flat() as readonly ToolKind[] } : {}),
    ...(hosts !== undefined ? { hosts: [hosts].flat() as readonly string[] } : {}),
  };
}
type AnyAuthoredWhen = AuthoredHook<EventName, undefined, ToolKind, string, Fields>["when"];

const meant = (word: string, known: readonly string[]): string => {
  const name = nearest(word, known);
  return name ? `; did you mean ${name}?` : "";
};

const shown = (value: unknown) => (typeof value === "string" ? JSON.stringify(value) : typeName(value));

const notLoaded = (name: string | undefined, message: string) =>
  new HookFailure("not-loaded", name ? `hook ${name}: ${message}` : message);
