/** One worker thread, and the one question it is being asked: whatever happens meanwhile is the doing of that hook. */
import { HookFailure } from "../core/failure.ts";
import { watchMemory } from "./module-memory.ts";
import type { Pins } from "./module-pins.ts";
import type { WorkerQuestion, WorkerReply } from "./module-protocol.ts";
import { startThread, type ThreadOptions } from "./module-thread.ts";

export interface Call {
  readonly question: WorkerQuestion;
  readonly pins: Pins | null;
  readonly timeoutMs: number;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (failure: HookFailure) => void;
  printed: string;
  /** Asked again because an earlier hook broke the worker. */
  again: boolean;
}

export type Answer = Extract<WorkerReply, { type: "described" | "judged" }> & { readonly printed: string };

export interface SeatOptions extends Omit<ThreadOptions, "onReply" | "onEnd"> {
  readonly loadTimeoutMs: number;
  /** It can be asked again. */
  onRest(): void;
  /** Its worker is gone or going. `left`: a call that has to be asked elsewhere. */
  onOver(left: Call | undefined): void;
  onLateFailure(failure: HookFailure): void;
}

export interface Seat {
  isIdle(): boolean;
  ask(call: Call): void;
  /** Whether it was being asked here; it fails, and the worker ends. */
  stop(call: Call, failure: HookFailure): boolean;
  /** The call that is being asked fails. */
  end(failure: HookFailure): Promise<unknown>;
}

const MEMORY_CHECK_MS = 20;
const MAX_PRINTED = 400;

export function startSeat({ loadTimeoutMs, onRest, onOver, onLateFailure, ...options }: SeatOptions): Seat {
  const { maxMemoryMb } = options;
  const thread = startThread({ ...options, onReply: hear, onEnd: (failure) => broke(failure, null) });
  const realms = new Map<Pins | null, number>();
  const loaded = new Set<string>();
  let active: Call | undefined;
  let lastId = 0;
  let over = false;
  let stopWatching = () => {};

  return {
    isIdle: () => !active && !over,
    ask(call) {
      active = call;
      const isLoaded = loaded.has(keyOf(call));
      watch(call, isLoaded ? call.timeoutMs : loadTimeoutMs, isLoaded ? "did not answer" : "was not loaded");
      thread.keep(true);
      try {
        thread.send({ ...call.question, id: ++lastId, ...realmOf(call.pins) });
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

  /** Pins are handed over once: they may be many. */
  function realmOf(pins: Pins | null): { realm: number; pins?: Pins | null } {
    const known = realms.get(pins);
    if (known !== undefined) return { realm: known };
    const realm = realms.size;
    realms.set(pins, realm);
    return { realm, pins };
  }

  function keyOf({ question, pins }: Call): string {
    return `${realms.get(pins)} ${question.file}`;
  }

  /** Time and memory; running out of either ends the worker. */
  function watch(call: Call, timeoutMs: number, late: string): void {
    stopWatching();
    const memory = watchMemory();
    const timer = setTimeout(() => {
      fail(call, new HookFailure("timeout", `${late} within ${timeoutMs} ms`), false);
    }, timeoutMs);
    const check = setInterval(() => {
      if (memory.grownMb() > maxMemoryMb) fail(call, crash(`used more than ${maxMemoryMb} MB of memory`), false);
    }, MEMORY_CHECK_MS);
    stopWatching = () => {
      clearTimeout(timer);
      clearInterval(check);
      memory.stop();
    };
  }

  function hear(reply: WorkerReply): void {
    if (reply.type === "crashed") broke(crash(reply.message), reply.id);
    else if (active && reply.id === lastId) proceed(active, reply);
  }

  function proceed(call: Call, reply: Exclude<WorkerReply, { type: "crashed" }>): void {
    switch (reply.type) {
      case "loaded":
        loaded.add(keyOf(call));
        call.printed = "";
        watch(call, call.timeoutMs, "did not answer");
        break;
      case "printed":
        call.printed = `${call.printed}${reply.text}`.slice(0, MAX_PRINTED);
        break;
      case "failed":
        fail(call, new HookFailure(reply.code, reply.message), !reply.leaves);
        break;
      default:
        settle(() => call.resolve({ ...reply, printed: call.printed }), !reply.leaves);
    }
  }

  /** What an earlier hook left behind is not held against the one that is being asked: it is asked again. */
  function broke(failure: HookFailure, guilty: number | null): void {
    if (over) return;
    const call = active;
    const innocent = call && guilty !== null && guilty !== lastId && !call.again;
    if (!call || innocent) onLateFailure(failure);
    if (call && !innocent) return fail(call, failure, false);
    stopWatching();
    active = undefined;
    if (call) Object.assign(call, { printed: "", again: true });
    close(call);
  }

  function fail(call: Call, { code, message }: HookFailure, usable: boolean): void {
    settle(() => call.reject(new HookFailure(code, withText(message, call.printed))), usable);
  }

  function settle(answer: () => void, usable: boolean): void {
    stopWatching();
    active = undefined;
    answer();
    if (!usable) return close(undefined);
    thread.keep(false);
    onRest();
  }

  function close(left: Call | undefined): void {
    if (over) return;
    over = true;
    void thread.end();
    onOver(left);
  }
}

const crash = (message: string) => new HookFailure("crash", message);

const withText = (message: string, printed: string) =>
  printed.trim() === "" ? message : `${message}\n  it printed: ${printed.trim()}`;
