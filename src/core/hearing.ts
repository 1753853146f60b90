/** One hook's part in a decision: it is asked, alone or together with others, and answers or fails. */
import type { Effect } from "./effect.ts";
import { type AgentEvent, eventRow } from "./event.ts";
import { asHookFailure, HookFailure } from "./failure.ts";
import type { Hook, HookTold, JudgeContext, Member, Panel } from "./hook.ts";
import type { JsonObject } from "./json.ts";
import { assertExpressible, NO_OPINION, type Opinion, type Verdict } from "./verdict.ts";

/** `judged` is the event it last gave its opinion on. */
export interface Hearing {
  readonly hook: Hook;
  readonly judged: AgentEvent;
  readonly verdict: Verdict;
  readonly failure?: HookFailure;
  readonly askedAgain: boolean;
  readonly ms: number;
}

/** What whoever decides has at hand. */
export interface Asking {
  /** Milliseconds from any origin; only differences are used. */
  readonly clock: () => number;
  readonly signal: AbortSignal;
}

/** Hooks asked one after another: where one's time ends the next one's begins, and the clock is read once for both. */
export interface Turns {
  endedAt: number | undefined;
}

/** Hooks that are asked with one question, and their members where they have a panel. */
export interface Together {
  readonly hooks: readonly Hook[];
  readonly members: readonly Member[];
}

export const together = (hooks: readonly Hook[]): Together => ({
  hooks,
  members: hooks.flatMap(({ member }) => member ?? []),
});

/** At once where hooks answer at once: a promise for each of many hooks is a good part of what a call costs. */
export function ask(
  { hooks, members }: Together,
  event: AgentEvent,
  options: Asking,
): readonly Hearing[] | Promise<readonly Hearing[]> {
  const [first] = hooks;
  if (!first) return [];
  if (first.member && hooks.length > 1) return askPanel(first.member.panel, hooks, members, event, options);
  const hearing = askOne(first, event, options);
  return isPromise(hearing) ? hearing.then((heard) => [heard]) : [hearing];
}

function askPanel(
  panel: Panel,
  hooks: readonly Hook[],
  members: readonly Member[],
  event: AgentEvent,
  options: Asking,
): readonly Hearing[] | Promise<readonly Hearing[]> {
  const startedAt = options.clock();
  const heard = (told: readonly HookTold[]) => hearingsOf(told, hooks, event, since(startedAt, options));
  const refusal = (error: unknown) => [refused(hooks[0] as Hook, event, error, since(startedAt, options))];
  try {
    const told = panel.hear(members, event, options);
    return isPromise(told) ? told.then(heard).catch(refusal) : heard(told);
  } catch (error) {
    return refusal(error);
  }
}

/** What the only one who was asked said. */
export function verdictOf([told]: readonly HookTold[]): Verdict {
  if (!told) throw new HookFailure("crash", "it was asked, and no answer came");
  if ("failure" in told) throw told.failure;
  return told.verdict;
}

/** The way there and back is on the first one's account. */
function hearingsOf(told: readonly HookTold[], hooks: readonly Hook[], event: AgentEvent, totalMs: number): Hearing[] {
  if (told.length === 0) throw new Error("a panel answered for none of its hooks");
  let left = totalMs;
  for (let index = 1; index < told.length; index++) left -= (told[index] as HookTold).ms;
  const hearings: Hearing[] = [];
  for (let index = 0; index < told.length; index++) {
    const one = told[index] as HookTold;
    hearings.push(
      hearingOf(one, hooks[index] as Hook, event, microseconds(index === 0 ? Math.max(left, one.ms) : one.ms)),
    );
  }
  return hearings;
}

function hearingOf(told: HookTold, hook: Hook, event: AgentEvent, ms: number): Hearing {
  if ("failure" in told) return refused(hook, event, told.failure, ms);
  try {
    return answered(hook, event, told.verdict, ms);
  } catch (error) {
    return refused(hook, event, error, ms);
  }
}

export function askOne(hook: Hook, event: AgentEvent, options: Asking, turns?: Turns): Hearing | Promise<Hearing> {
  const startedAt = turns?.endedAt ?? options.clock();
  if (turns) turns.endedAt = undefined;
  try {
    const verdict = hook.judge(event, new AskedContext(hook, event, options));
    // Nearly all have nothing to say, and a call costs what is done for each of them.
    if (verdict === NO_OPINION) {
      const endedAt = options.clock();
      if (turns) turns.endedAt = endedAt;
      const ms = Math.round((endedAt - startedAt) * 1000) / 1000;
      return { hook, judged: event, verdict, askedAgain: false, ms };
    }
    if (!isPromise(verdict)) {
      const endedAt = options.clock();
      if (turns) turns.endedAt = endedAt;
      return answered(hook, event, verdict, microseconds(endedAt - startedAt));
    }
    return verdict
      .then((settled) => answered(hook, event, settled, since(startedAt, options)))
      .catch((error) => refused(hook, event, error, since(startedAt, options)));
  } catch (error) {
    return refused(hook, event, error, since(startedAt, options));
  }
}

/** To the microsecond: what lies below is noise, and long in every record. */
const microseconds = (ms: number) => Math.round(ms * 1000) / 1000;

const since = (startedAt: number, { clock }: Asking) => microseconds(clock() - startedAt);

/** Most hooks look at none of it: what costs something is made when it is asked for. */
class AskedContext implements JudgeContext {
  readonly options: JsonObject;
  readonly #at: string;
  readonly #asking: Asking;

  constructor(hook: Hook, event: AgentEvent, asking: Asking) {
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
  if (verdict !== NO_OPINION) assertExpressible(verdict, event.name);
  return { hook, judged: event, verdict, askedAgain: false, ms };
}

const refused = (hook: Hook, event: AgentEvent, error: unknown, ms: number): Hearing =>
  failed({ hook, judged: event, verdict: NO_OPINION, askedAgain: false, ms }, asHookFailure(error));

export const isPromise = <T>(value: T | Promise<T>): value is Promise<T> =>
  typeof (value as { then?: unknown } | undefined)?.then === "function";

/** Law 4: a failure takes the hook's declared path and leaves a notice. What was learned before it stays. */
export function failed(hearing: Hearing, failure: HookFailure): Hearing {
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
