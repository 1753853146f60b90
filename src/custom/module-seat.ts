/**
 * One worker thread, and what it is being asked: one question at a time, to one hook or to several in turn. Whatever
 * happens meanwhile is the doing of the hook whose turn it is.
 */
import type { AgentEvent } from "../core/event.ts";
import { HookFailure } from "../core/failure.ts";
import type { HookTold } from "../core/hook.ts";
import type { HookData } from "./define-hook.ts";
import { type Asker, toldOnSheet, toldWithPrinted, withText } from "./module-asker.ts";
import type { Pins } from "./module-pins.ts";
import type { WorkerReply } from "./module-protocol.ts";
import { patienceFor, Questions } from "./module-question.ts";
import { maySleep, RunnersSheet } from "./module-sheet.ts";
import { startThread, type ThreadOptions } from "./module-thread.ts";
import { ENOUGH_MS } from "./module-turn.ts";
import { startWatch, type Watch } from "./module-watch.ts";

export type Question =
  | { readonly type: "describe"; readonly file: string; readonly pins: Pins | null }
  | { readonly type: "judge"; readonly askers: readonly Asker[]; readonly event: AgentEvent; readonly now: number };

export type Answer =
  | { readonly type: "described"; readonly hooks: readonly HookData[] }
  /** Of the first so many, at least of one. */
  | { readonly type: "judged"; readonly told: readonly HookTold[] };

export interface Call {
  readonly question: Question;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (failure: HookFailure) => void;
  printed: string;
  /** Asked again because an earlier hook broke the worker. */
  again: boolean;
}

export interface SeatOptions extends Omit<ThreadOptions, "onReply" | "onEnd" | "sheet"> {
  readonly loadTimeoutMs: number;
  /** It can be asked again. */
  onRest(): void;
  /** Its worker is gone or going. `left`: a call that has to be asked elsewhere. */
  onOver(left: Call | undefined): void;
  onLateFailure(failure: HookFailure): void;
}

export interface Seat {
  isIdle(): boolean;
  /** `atOnce`: it may be slept for, and hear of its answer before this returns. */
  ask(call: Call, atOnce: boolean): void;
  /** Whether it was being asked here; it fails, and the worker ends. */
  stop(call: Call, failure: HookFailure): boolean;
  /** The call that is being asked fails. */
  end(failure: HookFailure): Promise<unknown>;
}

const MAX_PRINTED = 400;

export function startSeat({ loadTimeoutMs, onRest, onOver, onLateFailure, ...options }: SeatOptions): Seat {
  const sheet = new RunnersSheet();
  const onEnd = (failure: HookFailure) => broke(failure, null);
  const thread = startThread({ ...options, sheet: sheet.memory, onReply: hear, onEnd });
  const questions = new Questions();
  let active: Call | undefined;
  /** Of the active call: those who are being asked, and the number of the first. */
  let askers: readonly Asker[] = [];
  let firstId = 0;
  let nextId = 1;
  let askedMs = 0;
  let over = false;
  let watch: Watch | undefined;

  return {
    isIdle: () => !active && !over,
    ask(call, atOnce) {
      const { question } = call;
      active = call;
      askers = question.type === "judge" ? questions.inOneTurn(question.askers) : [];
      firstId = nextId;
      nextId += Math.max(1, askers.length);
      askedMs = performance.now();
      sheet.prepare(false);
      try {
        const text = textOf(question);
        const isLoaded = questions.isLoaded(placeOf(question));
        const patience = atOnce && isLoaded && askers.length > 0 && maySleep() ? patienceFor(askers) : 0;
        if (patience === 0 || !answeredWithin(patience, call, text)) handOver(call, text, isLoaded);
      } catch (error) {
        fail(call, crash(`its event could not be handed over: ${String(error)}`), true);
      }
    },
    stop(call, failure) {
      if (call !== active) return false;
      fail(call, failure, false);
      return true;
    },
    end(failure) {
      if (active) fail(active, failure, false);
      else close(undefined);
      return thread.end();
    },
  };

  function textOf(question: Question): string {
    if (question.type === "describe") return questions.describe(firstId, question);
    return questions.judge(firstId, askers, question);
  }

  /** Whether it was, or is being asked: nothing more is to be done than to watch it. */
  function answeredWithin(patienceMs: number, call: Call, text: string): boolean {
    sheet.prepare(true);
    if (!sheet.ask(text)) {
      sheet.prepare(false);
      return false;
    }
    if (sheet.await(patienceMs)) answeredOnSheet(call, sheet.leavesAnything());
    else startWatching(call, true);
    return true;
  }

  function handOver(call: Call, text: string, isLoaded: boolean): void {
    startWatching(call, isLoaded);
    if (!sheet.ask(text)) sheet.send(() => thread.send(text));
  }

  function startWatching(call: Call, isLoaded: boolean): void {
    thread.keep(true);
    watch = startWatch(options.maxMemoryMb, () => {
      fail(call, crash(`used more than ${options.maxMemoryMb} MB of memory`), false);
    });
    if (isLoaded) watchTurn(call);
    else watch.due(loadTimeoutMs, () => late(call, "was not loaded", loadTimeoutMs));
  }

  function answeredOnSheet(call: Call, leaves: boolean): void {
    const told = toldOnSheet(askers, sheet);
    settle(() => call.resolve({ type: "judged", told }), !leaves);
  }

  /** Each has a time of its own. Who is asked together has begun when the first look is taken, or will not be asked. */
  function watchTurn(call: Call): void {
    if (askers.length > 1) watch?.due(ENOUGH_MS, () => watchHook(call, sheet.asking()));
    else watchHook(call, 0);
  }

  function watchHook(call: Call, index: number): void {
    const timeoutMs = askers[index]?.timeoutMs ?? loadTimeoutMs;
    watch?.due(timeoutMs, () => {
      if (sheet.asking() === index) late(call, "did not answer", timeoutMs);
      else watchHook(call, sheet.asking());
    });
  }

  function hear(reply: WorkerReply): void {
    if (reply.type === "crashed") broke(crash(reply.message), reply.id);
    else if (active && reply.id >= firstId) proceed(active, reply);
  }

  function proceed(call: Call, reply: Exclude<WorkerReply, { type: "crashed" }>): void {
    switch (reply.type) {
      case "loaded":
        questions.loaded(placeOf(call.question));
        call.printed = "";
        watchTurn(call);
        break;
      case "printed":
        if (reply.id === firstId + sheet.asking()) call.printed = `${call.printed}${reply.text}`.slice(0, MAX_PRINTED);
        break;
      case "failed":
        fail(call, new HookFailure(reply.code, reply.message), !reply.leaves);
        break;
      case "described":
        settle(() => call.resolve(reply), !reply.leaves);
        break;
      case "answered":
        answeredOnSheet(call, reply.leaves);
        break;
      case "judged":
        settle(() => call.resolve({ type: "judged", told: told(call, reply) }), !reply.leaves);
    }
  }

  /** What is on the sheet, and the one answer that is not. */
  function told({ question, printed }: Call, { id, answer, ms }: Extract<WorkerReply, { type: "judged" }>): HookTold[] {
    const index = id - firstId;
    const asker = askers[index];
    if (asker) asker.lastMs = ms;
    const before = toldOnSheet(askers, sheet, index);
    if (question.type !== "judge") return before;
    return [...before, toldWithPrinted(answer, ms, printed, question.event.name)];
  }

  /** What an earlier hook left behind is not held against the one that is being asked: it is asked again. */
  function broke(failure: HookFailure, guilty: number | null): void {
    if (over) return;
    const call = active;
    const isInnocent = call && guilty !== null && guilty !== firstId + sheet.asking() && !call.again;
    if (!call || isInnocent) onLateFailure(failure);
    if (call && !isInnocent) return fail(call, failure, false);
    const answered = call ? toldOnSheet(askers, sheet) : [];
    if (call && answered.length > 0) return settle(() => call.resolve({ type: "judged", told: answered }), false);
    watch?.stop();
    active = undefined;
    if (call) Object.assign(call, { printed: "", again: true });
    close(call);
  }

  function late(call: Call, what: string, timeoutMs: number): void {
    fail(call, new HookFailure("timeout", `${what} within ${timeoutMs} ms`), false);
  }

  /** The hook whose turn it is fails; those before it have answered. */
  function fail(call: Call, { code, message }: HookFailure, usable: boolean): void {
    const failure = new HookFailure(code, withText(message, call.printed));
    if (call.question.type === "describe") return settle(() => call.reject(failure), usable);
    const answered = toldOnSheet(askers, sheet, sheet.asking());
    const ms = answered.reduce((left, told) => left - told.ms, performance.now() - askedMs);
    const asker = askers[answered.length];
    if (asker) asker.lastMs = ms;
    settle(() => call.resolve({ type: "judged", told: [...answered, { failure, ms }] }), usable);
  }

  function settle(answer: () => void, usable: boolean): void {
    const watched = watch;
    watched?.stop();
    watch = undefined;
    active = undefined;
    answer();
    if (!usable) return close(undefined);
    if (watched) thread.keep(false);
    onRest();
  }

  function close(left: Call | undefined): void {
    if (over) return;
    over = true;
    void thread.end();
    onOver(left);
  }
}

const placeOf = (question: Question): Pick<Asker, "file" | "pins"> =>
  question.type === "describe" ? question : (question.askers[0] as Asker);

const crash = (message: string) => new HookFailure("crash", message);
