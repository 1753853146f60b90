/**
 * The engine: an event and the hooks in, a decision out. It knows no host, no clock and no disk. The laws it keeps are
 * numbered as in docs/decisions/0001 and stated as property tests in engine.test.ts.
 */
import { type ContextBudget, type ToldContext, withinBudget } from "./context.ts";
import type { Decision, Reason, TraceStep } from "./decision.ts";
import type { Effect } from "./effect.ts";
import { type AgentEvent, type EventName, eventRow } from "./event.ts";
import { asHookFailure, type HookFailure } from "./failure.ts";
import { type Hook, inOrder, type JudgeContext } from "./hook.ts";
import { type Json, type JsonObject, sameJson } from "./json.ts";
import { whyNot } from "./match.ts";
import { rewriteEvent, type ToolReader } from "./rewrite.ts";
import { assertExpressible, NO_OPINION, type Opinion, strength, type Verdict } from "./verdict.ts";

export interface DecideOptions {
  readonly tools: ToolReader;
  /** Milliseconds from any origin; only differences are used. */
  readonly clock: () => number;
  readonly signal: AbortSignal;
  readonly context: ContextBudget;
  /** How often hooks may continue one turn. */
  readonly maxContinuations: number;
  /** Told of each hook as it is asked, for whoever shows progress. */
  readonly onAsk?: (hook: Hook) => void;
}

/** One hook's part in the decision. `judged` is the event it last gave its opinion on. */
interface Hearing {
  readonly hook: Hook;
  readonly judged: AgentEvent;
  readonly verdict: Verdict;
  readonly failure?: HookFailure;
  readonly askedAgain: boolean;
  readonly ms: number;
}

export async function decide(event: AgentEvent, hooks: readonly Hook[], options: DecideOptions): Promise<Decision> {
  const listeners = listenersTo(event.name, hooks);
  const procedure = eventRow(event.name).law === "procedure";
  const heard: (Hearing | { hook: Hook; skipped: string })[] = [];
  let current = event;

  for (const hook of listeners) {
    const skipped = whyNot(current, hook.when) ?? (procedure && phaseIsOver(heard) ? "the phase has ended" : undefined);
    if (skipped) {
      heard.push({ hook, skipped });
      continue;
    }
    const asked = ask(hook, current, options);
    const { hearing, next } = rewritten(isPromise(asked) ? await asked : asked, current, options);
    heard.push(hearing);
    current = next;
  }

  // Nothing was rewritten: everybody judged what runs.
  if (current === event) return conclude(event, current, heard, options);

  const settled: typeof heard = [];
  for (const entry of heard) {
    if ("skipped" in entry) settled.push(await hearSkipped(entry, event, current, options));
    else settled.push(judgedWhatRuns(entry, current) ? entry : await hearAgain(entry, current, options));
  }
  return conclude(event, current, settled, options);
}

const ordered = new WeakMap<readonly Hook[], Map<EventName, readonly Hook[]>>();

/** The hooks that hear an event, in their order: found once for a list of hooks, which never changes. */
function listenersTo(name: EventName, hooks: readonly Hook[]): readonly Hook[] {
  const known = ordered.get(hooks) ?? new Map<EventName, readonly Hook[]>();
  ordered.set(hooks, known);
  const listeners = known.get(name) ?? inOrder(hooks).filter((hook) => hook.on.includes(name));
  known.set(name, listeners);
  return listeners;
}

/** Law 3: on run and task events the first block or reinvoke ends the phase. */
const phaseIsOver = (heard: readonly (Hearing | { skipped: string })[]) =>
  heard.some((entry) => "verdict" in entry && enforced(entry) && ENDS_A_PHASE.includes(entry.verdict.opinion.kind));

const ENDS_A_PHASE: readonly Opinion["kind"][] = ["block", "reinvoke"];

const enforced = (hearing: Hearing) => hearing.hook.mode !== "observe";

/** Law 2: rewrites chain. The next hook sees the event as rewritten so far. */
function rewritten(
  hearing: Hearing,
  event: AgentEvent,
  options: DecideOptions,
): { readonly hearing: Hearing; readonly next: AgentEvent } {
  const { rewrite } = hearing.verdict;
  if (rewrite === undefined || !enforced(hearing)) return { hearing, next: event };
  try {
    const next = rewriteEvent(event, rewrite, options.tools);
    return { hearing: { ...hearing, judged: next }, next };
  } catch (error) {
    const { rewrite: _dropped, ...rest } = hearing.verdict;
    return { hearing: failed({ ...hearing, verdict: rest }, asHookFailure(error)), next: event };
  }
}

/** Law 2: a hook whose event a later hook changed is asked again; this time only its opinion counts. */
async function hearAgain(first: Hearing, final: AgentEvent, options: DecideOptions): Promise<Hearing> {
  const again = await ask(first.hook, final, options);
  const { rewrite: unwanted, ...verdict } = again.verdict;
  const clash = unwanted !== undefined && !sameJson(unwanted, rewrittenPart(final) ?? null);
  // What it said of its rewrite still holds, as the rewrite does.
  const rewrote = first.verdict.rewrite !== undefined;
  const context = [...(rewrote ? (first.verdict.context ?? []) : []), ...(verdict.context ?? [])];
  const effects = [
    ...(rewrote ? (first.verdict.effects ?? []) : []),
    ...(verdict.effects ?? []),
    ...(clash ? [overruledNotice(first.hook, final)] : []),
  ];
  return {
    ...again,
    verdict: {
      ...verdict,
      ...(rewrote ? { rewrite: first.verdict.rewrite as Json } : {}),
      ...(context.length > 0 ? { context } : {}),
      ...(effects.length > 0 ? { effects } : {}),
    },
    askedAgain: true,
    ms: first.ms + again.ms,
  };
}

/** A rewrite can bring a call under a matcher that did not match before. */
async function hearSkipped(
  entry: { hook: Hook; skipped: string },
  original: AgentEvent,
  final: AgentEvent,
  options: DecideOptions,
): Promise<Hearing | { hook: Hook; skipped: string }> {
  if (final === original || eventRow(original.name).law === "procedure" || whyNot(final, entry.hook.when)) return entry;
  return hearAgain(
    { hook: entry.hook, judged: original, verdict: NO_OPINION, askedAgain: true, ms: 0 },
    final,
    options,
  );
}

const judgedWhatRuns = (hearing: Hearing, final: AgentEvent) =>
  hearing.judged === final || sameJson(rewrittenPart(hearing.judged) ?? null, rewrittenPart(final) ?? null);

/** At once where the hook answers at once: a promise for each of many hooks is a good part of what a call costs. */
function ask(hook: Hook, event: AgentEvent, options: DecideOptions): Hearing | Promise<Hearing> {
  options.onAsk?.(hook);
  const startedAt = options.clock();
  try {
    const verdict = hook.judge(event, new AskedContext(hook, event, options));
    if (!isPromise(verdict)) return answered(hook, event, verdict, since(startedAt, options));
    return verdict
      .then((settled) => answered(hook, event, settled, since(startedAt, options)))
      .catch((error) => refused(hook, event, error, since(startedAt, options)));
  } catch (error) {
    return refused(hook, event, error, since(startedAt, options));
  }
}

/** To the microsecond: what lies below is noise, and long in every record. */
const since = (startedAt: number, { clock }: DecideOptions) => Math.round((clock() - startedAt) * 1000) / 1000;

/** Most hooks look at none of it: what costs something is made when it is asked for. */
class AskedContext implements JudgeContext {
  readonly options: JsonObject;
  readonly #at: string;
  readonly #asking: DecideOptions;

  constructor(hook: Hook, event: AgentEvent, asking: DecideOptions) {
    this.options = hook.options ?? NO_OPTIONS;
    this.#at = event.at;
    this.#asking = asking;
  }

  get now(): Date {
    return new Date(this.#at);
  }

  get signal(): AbortSignal {
    return this.#asking.signal;
  }
}

const NO_OPTIONS: JsonObject = Object.freeze({});

function answered(hook: Hook, event: AgentEvent, verdict: Verdict, ms: number): Hearing {
  assertExpressible(verdict, event.name);
  return { hook, judged: event, verdict, askedAgain: false, ms };
}

const refused = (hook: Hook, event: AgentEvent, error: unknown, ms: number): Hearing =>
  failed({ hook, judged: event, verdict: NO_OPINION, askedAgain: false, ms }, asHookFailure(error));

const isPromise = <T>(value: T | Promise<T>): value is Promise<T> =>
  typeof (value as { then?: unknown } | undefined)?.then === "function";

/** Law 4: a failure takes the hook's declared path and leaves a notice. What was learned before it stays. */
function failed(hearing: Hearing, failure: HookFailure): Hearing {
  const { hook, judged } = hearing;
  const closed = hook.onError === "block" && eventRow(judged.name).answers.includes("block");
  const reason = `hook ${hook.name} failed (${failure.code}): ${failure.message}`;
  const outcome = closed ? "the call was blocked" : "its answer was left out";
  const notice: Effect = {
    type: "notice",
    notice: {
      event_name: judged.name,
      message: `${reason}; ${outcome}`,
      is_error: true,
      code: failure.code,
      hook: hook.name,
    },
  };
  const opinion: Opinion = closed
    ? { kind: "block", reason: `${reason}. This guard fails closed: ask the person to fix it (holdfast notices).` }
    : { kind: "none" };
  return {
    ...hearing,
    failure,
    verdict: { ...hearing.verdict, opinion, effects: [...(hearing.verdict.effects ?? []), notice] },
  };
}

function conclude(
  event: AgentEvent,
  final: AgentEvent,
  heard: readonly (Hearing | { hook: Hook; skipped: string })[],
  options: DecideOptions,
): Decision {
  const hearings = heard.filter((entry): entry is Hearing => "verdict" in entry);
  const binding = hearings.filter(enforced);
  const top = Math.max(0, ...binding.map(({ verdict }) => strength(verdict.opinion)));
  const winners = binding.filter(({ verdict }) => top > 0 && strength(verdict.opinion) === top);
  const kind = winners[0]?.verdict.opinion.kind ?? "none";
  const bounded = kind === "continue" && event.name === "stop" && event.continuations >= options.maxContinuations;
  const rewritten = binding.some(({ verdict }) => verdict.rewrite !== undefined);
  const told = binding.flatMap(({ hook, verdict }): ToldContext[] =>
    (verdict.context ?? []).map((text) => ({ hook: hook.name, text })),
  );
  const effects = hearings.flatMap(({ verdict }) => verdict.effects ?? []);
  return {
    event: event.name,
    kind: bounded ? "none" : kind,
    reasons: bounded ? [] : winners.map(reasonOf),
    final,
    ...(rewritten ? { rewrite: rewrittenPart(final) as Json } : {}),
    context: withinBudget(told, options.context),
    effects: bounded ? [...effects, continuationLimitNotice(winners, options.maxContinuations)] : effects,
    mutate: binding.flatMap(({ verdict }): JsonObject[] => (verdict.mutate ? [verdict.mutate] : [])),
    trace: heard.map(traceStep),
  };
}

function reasonOf({ hook, verdict: { opinion } }: Hearing): Reason {
  const text = "reason" in opinion ? opinion.reason : "prompt" in opinion ? opinion.prompt : undefined;
  const rule = "rule" in opinion ? opinion.rule : undefined;
  return {
    hook: hook.name,
    ...(rule ? { rule } : {}),
    text: text?.trim() || `${DEFAULT_REASON[opinion.kind]} ${hook.name}`,
  };
}

const DEFAULT_REASON: Readonly<Record<Opinion["kind"], string>> = {
  none: "",
  allow: "allowed by hook",
  ask: "confirmation requested by hook",
  block: "blocked by hook",
  continue: "continuation requested by hook",
  halt: "halted by hook",
  reinvoke: "another attempt requested by hook",
};

function traceStep(entry: Hearing | { hook: Hook; skipped: string }): TraceStep {
  const { name: hook, source, layer } = entry.hook;
  if ("skipped" in entry) return { hook, source, layer, skipped: entry.skipped, ms: 0 };
  const { verdict, failure, askedAgain, ms } = entry;
  return {
    hook,
    source,
    layer,
    opinion: verdict.opinion,
    ...(verdict.rewrite !== undefined ? { rewrite: verdict.rewrite } : {}),
    ...(verdict.context?.length ? { context: verdict.context } : {}),
    ...(verdict.effects?.length ? { effects: verdict.effects } : {}),
    ...(failure ? { failure: { code: failure.code, message: failure.message } } : {}),
    ...(enforced(entry) ? {} : { observed: true as const }),
    ...(askedAgain ? { askedAgain: true as const } : {}),
    ms,
  };
}

/** The part of an event that hooks can rewrite. */
function rewrittenPart(event: AgentEvent): Json | undefined {
  if (event.name === "post_tool_use") return event.response;
  if ("tool" in event) return event.tool.input;
  if (event.name !== "pre_delegation") return undefined;
  const { targetAgentId, objective, context, constraints, expectedOutput } = event;
  return { target_agent_id: targetAgentId, objective, context, constraints, expected_output: expectedOutput };
}

const overruledNotice = (hook: Hook, event: AgentEvent): Effect => ({
  type: "notice",
  notice: {
    event_name: event.name,
    message: `hook ${hook.name} would rewrite the call differently, but a later hook's rewrite was taken; order them with priority`,
    is_error: false,
    code: "rewrite-overruled",
    hook: hook.name,
  },
});

const continuationLimitNotice = (winners: readonly Hearing[], limit: number): Effect => ({
  type: "notice",
  notice: {
    event_name: "stop",
    message: `hook ${winners[0]?.hook.name} asked to continue again; a turn is continued at most ${limit} time(s), so it ended`,
    is_error: false,
    code: "continuation-limit",
    hook: winners[0]?.hook.name ?? null,
  },
});
