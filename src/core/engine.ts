/**
 * The engine: an event and the hooks in, a decision out. It knows no host, no clock and no disk. The laws it keeps are
 * numbered as in docs/decisions/0001 and stated as property tests in engine.test.ts.
 */
import { type ContextBudget, type ToldContext, withinBudget } from "./context.ts";
import type { Decision, Reason, TraceStep } from "./decision.ts";
import type { Effect } from "./effect.ts";
import { type AgentEvent, type EventName, eventRow } from "./event.ts";
import { asHookFailure } from "./failure.ts";
import {
  type Asking,
  ask,
  askOne,
  failed,
  type Hearing,
  isPromise,
  type Together,
  type Turns,
  together,
} from "./hearing.ts";
import { type Hook, inOrder } from "./hook.ts";
import { type Json, type JsonObject, sameJson } from "./json.ts";
import { type Condition, conditionsOf, unmet, whyNot } from "./match.ts";
import { rewriteEvent, type ToolReader } from "./rewrite.ts";
import { NO_OPINION, type Opinion, strength } from "./verdict.ts";

export interface DecideOptions extends Asking {
  readonly tools: ToolReader;
  readonly context: ContextBudget;
  /** How often hooks may continue one turn. */
  readonly maxContinuations: number;
  /** Told of each hook whenever it is asked. */
  readonly onAsk?: (hook: Hook) => void;
}

export async function decide(event: AgentEvent, hooks: readonly Hook[], options: DecideOptions): Promise<Decision> {
  const { listeners, conditions, panels } = listenersTo(event.name, hooks);
  const procedure = eventRow(event.name).law === "procedure";
  const heard: (Hearing | Skipped)[] = [];
  let current = event;
  const turns: Turns = { endedAt: undefined };

  for (let position = 0; position < listeners.length; ) {
    const hook = listeners[position] as Hook;
    const conditional = conditions[position];
    const mismatch = conditional && unmet(current, conditional);
    const skipped = mismatch ?? (procedure && phaseIsOver(heard) ? "the phase has ended" : undefined);
    if (skipped) {
      heard.push({ hook, skipped });
      position += 1;
      // To find that out may have taken its time: nobody's.
      turns.endedAt = undefined;
      continue;
    }
    if (!hook.member) {
      if (options.onAsk) tell([hook], options, turns);
      const asked = askOne(hook, current, options, turns);
      const first = isPromise(asked) ? await asked : asked;
      position += 1;
      if (first.verdict.rewrite === undefined) {
        heard.push(first);
        continue;
      }
      const { hearing, next } = rewritten(first, current, options);
      heard.push(hearing);
      current = next;
      turns.endedAt = undefined;
      continue;
    }
    const asking = procedure ? together([hook]) : (panels.get(position) ?? togetherFrom(position, listeners, current));
    tell(asking.hooks, options, turns);
    const asked = ask(asking, current, options);
    for (const first of isPromise(asked) ? await asked : asked) {
      // Those between them do not match: or they would have been asked, or ended it.
      for (; listeners[position] !== first.hook; position++)
        heard.push(skippedHook(listeners[position] as Hook, current));
      position += 1;
      if (first.verdict.rewrite === undefined) {
        heard.push(first);
        continue;
      }
      const { hearing, next } = rewritten(first, current, options);
      heard.push(hearing);
      if (next === current) continue;
      current = next;
      break;
    }
  }

  // Nothing was rewritten: everybody judged what runs.
  if (current === event) return conclude(event, current, heard, options);
  return conclude(event, current, await settled(heard, event, current, options), options);
}

function tell(hooks: readonly Hook[], { onAsk }: DecideOptions, turns?: Turns): void {
  if (turns) turns.endedAt = undefined;
  if (onAsk) for (const hook of hooks) onAsk(hook);
}

/** The hooks that can be asked with one question, from this one on: of one panel, and nobody else's turn between them. */
function togetherFrom(position: number, listeners: readonly Hook[], event: AgentEvent): Together {
  const first = listeners[position] as Hook;
  const found = [first];
  for (let next = position + 1; next < listeners.length; next++) {
    const hook = listeners[next] as Hook;
    if (whyNot(event, hook.when)) continue;
    if (!haveOnePanel(hook, first)) break;
    found.push(hook);
  }
  return together(found);
}

const haveOnePanel = (one: Hook, other: Hook) => one.member?.panel === other.member?.panel;

type Skipped = { readonly hook: Hook; readonly skipped: string };

const skippedHook = (hook: Hook, event: AgentEvent): Skipped => ({ hook, skipped: whyNot(event, hook.when) ?? "" });

/** Law 2: what was rewritten is judged by all who did not see it. */
async function settled(
  heard: readonly (Hearing | Skipped)[],
  event: AgentEvent,
  final: AgentEvent,
  options: DecideOptions,
): Promise<(Hearing | Skipped)[]> {
  const all: (Hearing | Skipped)[] = [...heard];
  const again = heard.flatMap((entry, index) => {
    const first =
      "skipped" in entry ? matchesNow(entry, event, final) : judgedWhatRuns(entry, final) ? undefined : entry;
    return first ? [{ first, index }] : [];
  });
  for (let position = 0; position < again.length; ) {
    const hooks = samePanel(again.slice(position).map(({ first }) => first.hook));
    tell(hooks, options);
    for (const hearing of await ask(together(hooks), final, options)) {
      const { first, index } = again[position] as (typeof again)[number];
      all[index] = heardAgain(first, hearing, final);
      position += 1;
    }
  }
  return all;
}

function samePanel(hooks: readonly Hook[]): readonly Hook[] {
  const panel = hooks[0]?.member?.panel;
  const end = hooks.findIndex((hook, index) => index > 0 && (!panel || hook.member?.panel !== panel));
  return end < 0 ? hooks : hooks.slice(0, end);
}

interface Listeners {
  readonly listeners: readonly Hook[];
  /** Of each of them. */
  readonly conditions: readonly (readonly Condition[] | undefined)[];
  /** Those who are asked together about any event, by the place of the first: they need not be found again for each. */
  readonly panels: ReadonlyMap<number, Together>;
}

const ordered = new WeakMap<readonly Hook[], Map<EventName, Listeners>>();

/** The hooks that hear an event, in their order: found once for a list of hooks, which never changes. */
function listenersTo(name: EventName, hooks: readonly Hook[]): Listeners {
  const known = ordered.get(hooks)?.get(name);
  if (known) return known;
  const listeners = inOrder(hooks).filter((hook) => hook.on.includes(name));
  const conditions = listeners.map(({ when }) => when && conditionsOf(when));
  const found = { listeners, conditions, panels: panelsOf(listeners) };
  ordered.set(hooks, (ordered.get(hooks) ?? new Map<EventName, Listeners>()).set(name, found));
  return found;
}

function panelsOf(listeners: readonly Hook[]): Map<number, Together> {
  const panels = new Map<number, Together>();
  for (let first = 0, end = 0; first < listeners.length; first = end) {
    const hook = listeners[first] as Hook;
    end = first + 1;
    if (!hook.member || hook.when) continue;
    const joins = (other: Hook | undefined) => other && !other.when && haveOnePanel(other, hook);
    while (joins(listeners[end])) end++;
    // Whether one with a condition is among them depends on the event.
    if (!listeners[end]?.when) panels.set(first, together(listeners.slice(first, end)));
  }
  return panels;
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
function heardAgain(first: Hearing, again: Hearing, final: AgentEvent): Hearing {
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
function matchesNow({ hook }: Skipped, original: AgentEvent, final: AgentEvent): Hearing | undefined {
  if (eventRow(original.name).law === "procedure" || whyNot(final, hook.when)) return undefined;
  return { hook, judged: original, verdict: NO_OPINION, askedAgain: true, ms: 0 };
}

const judgedWhatRuns = (hearing: Hearing, final: AgentEvent) =>
  hearing.judged === final || sameJson(rewrittenPart(hearing.judged) ?? null, rewrittenPart(final) ?? null);

function conclude(
  event: AgentEvent,
  final: AgentEvent,
  heard: readonly (Hearing | Skipped)[],
  options: DecideOptions,
): Decision {
  let top = 0;
  let winners: Hearing[] = [];
  let isRewritten = false;
  const told: ToldContext[] = [];
  const effects: Effect[] = [];
  const mutate: JsonObject[] = [];
  const trace: TraceStep[] = [];
  for (const entry of heard) {
    trace.push(traceStep(entry));
    if (!("verdict" in entry) || entry.verdict === NO_OPINION) continue;
    const { hook, verdict } = entry;
    if (verdict.effects) effects.push(...verdict.effects);
    if (!enforced(entry)) continue;
    const weight = strength(verdict.opinion);
    if (weight > top) {
      top = weight;
      winners = [];
    }
    if (weight > 0 && weight === top) winners.push(entry);
    if (verdict.rewrite !== undefined) isRewritten = true;
    for (const text of verdict.context ?? []) told.push({ hook: hook.name, text });
    if (verdict.mutate) mutate.push(verdict.mutate);
  }
  const kind = winners[0]?.verdict.opinion.kind ?? "none";
  const bounded = kind === "continue" && event.name === "stop" && event.continuations >= options.maxContinuations;
  return {
    event: event.name,
    kind: bounded ? "none" : kind,
    reasons: bounded ? [] : winners.map(reasonOf),
    final,
    ...(isRewritten ? { rewrite: rewrittenPart(final) as Json } : {}),
    context: withinBudget(told, options.context),
    effects: bounded ? [...effects, continuationLimitNotice(winners, options.maxContinuations)] : effects,
    mutate,
    trace,
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

function traceStep(entry: Hearing | Skipped): TraceStep {
  const { name: hook, source, layer, mode } = entry.hook;
  if ("skipped" in entry) return { hook, source, layer, skipped: entry.skipped, ms: 0 };
  const { verdict, ms } = entry;
  // Most have nothing to say, and there may be hundreds.
  if (verdict === NO_OPINION && !entry.failure && !entry.askedAgain && mode !== "observe")
    return { hook, source, layer, opinion: verdict.opinion, ms };
  const { failure, askedAgain } = entry;
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
