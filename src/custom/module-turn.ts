/** In the worker: several hooks asked about one event, in turn, each with a copy of its own. */
import type { AgentEvent } from "../core/event.ts";
import type { JudgeContext } from "../core/hook.ts";
import type { JsonObject } from "../core/json.ts";
import type { Verdict } from "../core/verdict.ts";
import { copierOf } from "./module-copy.ts";
import type { ModuleHook } from "./module-definition.ts";
import { failureOf } from "./module-failure.ts";
import type { PinCheck } from "./module-pins.ts";
import type { HookAnswer } from "./module-protocol.ts";
import type { WorkersSheet } from "./module-sheet.ts";

/** After so much, the runner asks the rest anew: others may be waiting for this worker. */
export const ENOUGH_MS = 10;

export interface Asked {
  readonly hook: ModuleHook;
  /** A copy of its own, each time. */
  readonly freshOptions: () => JsonObject;
  readonly check: PinCheck | undefined;
  /** It gave a promise the last time; undefined: it was never asked. */
  awaited?: boolean;
}

export interface TurnPorts {
  readonly sheet: WorkersSheet;
  /** Runs what belongs to one hook, so that what it prints and does later is known to be its doing. */
  within<T>(id: number, check: PinCheck | undefined, work: () => T): T;
  /** Whether the hook that was asked last has printed anything. */
  hasPrinted(): boolean;
  /** Whether no more is running than before any hook was asked. */
  isAtRest(): boolean;
  /** Whether anything is, after a moment in which it may come to rest. */
  leavesAnything(): Promise<boolean>;
  /** All have answered, on the sheet. */
  onAnswered(id: number, leaves: boolean): void;
  /** The one who was asked last has answered, and not on the sheet. */
  onLast(id: number, answer: HookAnswer, ms: number, leaves: boolean): void;
}

export class Turn {
  readonly #ports: TurnPorts;
  readonly #firstId: number;
  readonly #asked: readonly Asked[];
  readonly #event: AgentEvent;
  #copy: (() => AgentEvent) | undefined;
  readonly #nowMs: number;
  #now: Date;
  readonly #startedMs = performance.now();
  #index = 0;
  #askedMs = this.#startedMs;
  /** Nobody has looked yet whether those who answered at once left anything running. */
  #unseen = false;

  constructor(ports: TurnPorts, firstId: number, asked: readonly Asked[], event: AgentEvent, now: number) {
    this.#ports = ports;
    this.#firstId = firstId;
    this.#asked = asked;
    this.#event = event;
    this.#nowMs = now;
    this.#now = new Date(now);
  }

  /** Goes on until all have answered, one has to be waited for, or one said what the next must know of. */
  run(): void {
    const { sheet, within } = this.#ports;
    for (let asked = this.#next(); asked; asked = this.#next()) {
      sheet.begin(this.#index);
      const answer = within(this.#id, asked.check, () => this.#ask(asked));
      asked.awaited = answer instanceof Promise;
      if (answer instanceof Promise) return void answer.then((settled) => this.#afterWaiting(settled));
      this.#unseen = true;
      if (!this.#keep(answer)) return this.#finish(answer);
    }
    this.#finish(undefined);
  }

  get #id(): number {
    return this.#firstId + this.#index;
  }

  /** Undefined: nobody is to be asked any more, now. */
  #next(): Asked | undefined {
    const next = this.#asked[this.#index];
    if (!next || this.#index === 0) return next;
    if (this.#askedMs - this.#startedMs > ENOUGH_MS) return undefined;
    // While one is waited for, what earlier ones left running would go on.
    if (this.#unseen && next.awaited !== false && !this.#ports.isAtRest()) return undefined;
    return next;
  }

  #ask({ hook: { data, judge }, freshOptions }: Asked): HookAnswer | Promise<HookAnswer> {
    const context = new AskedContext(this.#unchangedNow(), freshOptions());
    try {
      // After the last one nobody needs it.
      const isLast = this.#index === this.#asked.length - 1;
      const verdict = judge(isLast ? this.#event : this.#freshEvent(), context);
      if (isPromise(verdict))
        return Promise.resolve(verdict)
          .then((settled) => said(data.name, settled), failed)
          .finally(() => context.end());
      context.end();
      return said(data.name, verdict);
    } catch (error) {
      context.end();
      return failed(error);
    }
  }

  /** One for all of them, unless somebody has set it. */
  #unchangedNow(): Date {
    if (getTime.call(this.#now) !== this.#nowMs) this.#now = new Date(this.#nowMs);
    return this.#now;
  }

  #freshEvent(): AgentEvent {
    this.#copy ??= copierOf(this.#event);
    return this.#copy();
  }

  async #afterWaiting(answer: HookAnswer): Promise<void> {
    const { isAtRest, leavesAnything } = this.#ports;
    const leaves = !isAtRest() && (await leavesAnything());
    this.#unseen = false;
    const isKept = this.#keep(answer);
    if (isKept && !leaves) this.run();
    else this.#tell(isKept ? undefined : answer, leaves);
  }

  /** Whether the answer is on the sheet. */
  #keep(answer: HookAnswer): boolean {
    const { sheet, hasPrinted } = this.#ports;
    if (hasPrinted()) return false;
    const now = performance.now();
    const text = saysNothing(answer) ? undefined : JSON.stringify(answer);
    if (!sheet.answer(this.#index, text, now - this.#askedMs)) return false;
    this.#askedMs = now;
    // The next must be asked about what this one makes of the event, which the engine knows.
    const rewrites = "verdict" in answer && answer.verdict.rewrite !== undefined;
    this.#index = rewrites ? this.#asked.length : this.#index + 1;
    return true;
  }

  /** `last`: an answer that is not on the sheet. */
  #finish(last: HookAnswer | undefined): void {
    const { isAtRest, leavesAnything } = this.#ports;
    if (isAtRest()) this.#tell(last, false);
    else void leavesAnything().then((leaves) => this.#tell(last, leaves));
  }

  #tell(last: HookAnswer | undefined, leaves: boolean): void {
    const { onAnswered, onLast } = this.#ports;
    if (last) onLast(this.#id, last, performance.now() - this.#askedMs, leaves);
    else onAnswered(this.#firstId, leaves);
  }
}

const said = (hook: string, verdict: Verdict): HookAnswer => ({ hook, verdict });

function failed(error: unknown): HookAnswer {
  const { code, message } = failureOf(error, "crash");
  return { code, message };
}

const saysNothing = (answer: HookAnswer): boolean => {
  if (!("verdict" in answer) || answer.verdict.opinion.kind !== "none") return false;
  const { rewrite, context, effects, mutate } = answer.verdict;
  return rewrite === undefined && !context?.length && !effects?.length && !mutate;
};

const isPromise = <T>(value: T | PromiseLike<T>): value is PromiseLike<T> =>
  typeof (value as { then?: unknown } | undefined)?.then === "function";

/** Taken before any module could replace it. */
const { getTime } = Date.prototype;

/** The signal is made only for a hook that looks at it: aborting takes as long as the rest of a quick answer. */
class AskedContext implements JudgeContext {
  readonly now: Date;
  readonly options: JsonObject;
  #nobodyWaits: AbortController | undefined;

  constructor(now: Date, options: JsonObject) {
    this.now = now;
    this.options = options;
  }

  get signal(): AbortSignal {
    this.#nobodyWaits ??= new AbortController();
    return this.#nobodyWaits.signal;
  }

  end(): void {
    this.#nobodyWaits?.abort();
  }
}
