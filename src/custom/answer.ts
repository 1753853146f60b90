/**
 * What an author's hook returns, as short as people write it, and how it becomes a verdict. The types derive from the
 * event table, so an answer that an event cannot express does not compile; `toVerdict` says the same at run time, for
 * authors who have no compiler.
 */
import { type EVENTS, type EventName, eventRow } from "../core/event.ts";
import { HookFailure } from "../core/failure.ts";
import type { Json, JsonObject } from "../core/json.ts";
import { nearest } from "../core/nearest.ts";
import type { Mutation } from "../core/run-mutation.ts";
import { assertExpressible, NO_OPINION, type Opinion, type Verdict } from "../core/verdict.ts";
import { isPlainObject, toJson, typeName } from "./module-json.ts";

/** One hook holds one opinion; each is written as its own key. */
interface Opinions {
  /** Refuse. The reason is what the model reads. */
  readonly block: { readonly block: string; readonly rule?: string };
  /** Let a person decide. */
  readonly ask: { readonly ask: string; readonly rule?: string };
  /** Approve on the person's behalf. Never overrules another hook's block or ask. */
  readonly allow: { readonly allow: true | string };
  /** Do not end the turn yet, for this reason. */
  readonly continue: { readonly continue: string };
  /** End the agent's work, for this reason. */
  readonly halt: { readonly halt: string };
  /** Run another attempt with this prompt. */
  readonly reinvoke: { readonly reinvoke: string };
}

type OpinionKey = keyof Opinions;
export type AnswerKey = OpinionKey | keyof Extras<EventName> | "rule" | "note";
type AnswersOf<N extends EventName> = (typeof EVENTS)[N]["answers"][number];
type Without<K extends string> = { readonly [P in K]?: undefined };
type Flat<T> = { [K in keyof T]: T[K] };

/** What may replace the rewritable part of an event. */
interface Rewrites {
  /** The whole new input of the tool. */
  readonly pre_tool_use: JsonObject;
  /** The new output of the tool. */
  readonly post_tool_use: Json;
  /** The fields that change; null or absent keeps what was there. */
  readonly pre_delegation: {
    readonly target_agent_id?: string | null;
    readonly objective?: string | null;
    readonly context?: string | null;
    readonly constraints?: string | null;
    readonly expected_output?: string | null;
  };
}
type RewriteOf<N extends EventName> = N extends keyof Rewrites ? Rewrites[N] : Json;

/** What may stand beside an opinion, or alone. */
interface Extras<N extends EventName> {
  readonly rewrite: RewriteOf<N>;
  /** Text for the model. */
  readonly context: string | readonly string[];
  /** Changes to the run. */
  readonly mutate: Mutation;
}

type ExtrasOf<N extends EventName, Left extends keyof Extras<N> = never> = {
  readonly [K in Exclude<keyof Extras<N> & AnswersOf<N>, Left>]?: Extras<N>[K];
} & Without<Exclude<keyof Extras<N>, AnswersOf<N>> | Left> & {
    /** Recorded with the decision, for whoever reads it. */
    readonly note?: Json;
  };

/** A refused call has no input to rewrite. */
type NotBeside<K extends OpinionKey> = K extends "block" ? "rewrite" : never;
type RuleOf<K extends OpinionKey> = K extends "block" | "ask" ? unknown : Without<"rule">;

type Speaking<N extends EventName, K extends OpinionKey> = K extends OpinionKey
  ? Flat<Opinions[K] & RuleOf<K> & Without<Exclude<OpinionKey, K>> & ExtrasOf<N, NotBeside<K>>>
  : never;

/** What a hook may return for an event; for several events, what one of them can express. */
export type AnswerTo<N extends EventName> = N extends EventName
  ? Speaking<N, OpinionKey & AnswersOf<N>> | Flat<Without<OpinionKey | "rule"> & ExtrasOf<N>>
  : never;

/** The verdict an answer stands for. An answer that cannot be taken at its word is a failure, never a guess. */
export function toVerdict(answer: unknown, event: EventName): Verdict {
  if (answer === undefined) return NO_OPINION;
  if (!isPlainObject(answer)) {
    throw invalid(`returned ${typeName(answer)}; return an answer such as { block: "reason" }, or nothing`);
  }
  for (const key of Object.keys(answer)) {
    if (!KEYS.includes(key)) throw unknownKey(key);
    if (answer[key] === undefined) throw invalid(`answered ${key}: undefined; give it a value or leave the key out`);
  }
  if (Object.keys(answer).length === 0 && eventRow(event).law === "procedure") {
    throw invalid('answered {}, which says nothing; answer { block: "reason" } or { mutate: {} }, or return nothing');
  }
  const opinion = opinionOf(answer);
  if (opinion.kind === "block" && "rewrite" in answer) {
    throw invalid("answered block and rewrite; a refused call has nothing to rewrite");
  }
  const verdict: Verdict = {
    opinion,
    ...("rewrite" in answer ? { rewrite: toJson(answer.rewrite, "rewrite") } : {}),
    ...("context" in answer ? { context: textsOf(answer.context, "context") } : {}),
    ...("mutate" in answer ? { mutate: objectOf(answer.mutate, "mutate") } : {}),
    ...("note" in answer ? { effects: [{ type: "note", data: toJson(answer.note, "note") }] } : {}),
  };
  assertExpressible(verdict, event);
  return verdict;
}

type Unread = { readonly [key: string]: unknown };

const OPINIONS: { readonly [K in OpinionKey]: (value: unknown, rule: { rule?: string }) => Opinion } = {
  block: (value, rule) => ({ kind: "block", reason: textOf(value, "block"), ...rule }),
  ask: (value, rule) => ({ kind: "ask", reason: textOf(value, "ask"), ...rule }),
  allow: (value) => {
    if (value === true) return { kind: "allow" };
    if (typeof value === "string") return { kind: "allow", reason: value };
    throw invalid(
      `answered allow: ${String(value)}; to refuse, answer { block: "reason" }, to stay out of it, nothing`,
    );
  },
  continue: (value) => ({ kind: "continue", reason: textOf(value, "continue") }),
  halt: (value) => ({ kind: "halt", reason: textOf(value, "halt") }),
  reinvoke: (value) => ({ kind: "reinvoke", prompt: textOf(value, "reinvoke") }),
};

const OPINION_KEYS = Object.keys(OPINIONS) as readonly OpinionKey[];
const KEYS: readonly string[] = [...OPINION_KEYS, "rule", "rewrite", "context", "mutate", "note"] satisfies AnswerKey[];

/** What the same thing is called elsewhere. */
const ELSEWHERE: { readonly [key: string]: string } = {
  deny: "block",
  reject: "block",
  error: "block",
  accept: "allow",
  approve: "allow",
  confirm: "ask",
  action: "block, ask, allow, continue or reinvoke",
  decision: "block, ask or allow",
  modifiedArgs: "rewrite",
  updatedInput: "rewrite",
  additionalContext: "context",
  followUpPrompt: "reinvoke",
};

function opinionOf(answer: Unread): Opinion {
  const given = OPINION_KEYS.filter((key) => key in answer);
  const [key, ...others] = given;
  if (others.length > 0) throw invalid(`answered ${given.join(" and ")}; a hook holds one opinion`);
  if ("rule" in answer && key !== "block" && key !== "ask") {
    throw invalid("answered a rule without block or ask; rule names what blocks or asks");
  }
  const rule = "rule" in answer ? { rule: textOf(answer.rule, "rule") } : {};
  return key ? OPINIONS[key](answer[key], rule) : { kind: "none" };
}

function textOf(value: unknown, key: string): string {
  if (typeof value === "string") return value;
  throw invalid(`answered ${key} with ${typeName(value)}; it must be a string`);
}

export function textsOf(value: unknown, key: string): readonly string[] {
  if (typeof value === "string") return [value];
  if (Array.isArray(value) && value.every((text) => typeof text === "string")) return [...value];
  throw invalid(`answered ${key} with ${typeName(value)}; it must be a string or a list of strings`);
}

function objectOf(value: unknown, key: string): JsonObject {
  if (!isPlainObject(value)) throw invalid(`answered ${key} with ${typeName(value)}; it must be an object`);
  return toJson(value, key) as JsonObject;
}

function unknownKey(key: string): HookFailure {
  const meant = nearest(key, KEYS) ?? ELSEWHERE[key];
  return invalid(
    `answered "${key}", which is not an answer; ${meant ? `did you mean ${meant}?` : `use ${KEYS.join(", ")}`}`,
  );
}

const invalid = (message: string) => new HookFailure("invalid-answer", message);
