/**
 * Runs hook modules in a worker thread, where they may loop, exit, throw late, print or leak without harm to this process.
 * One question at a time, so that whatever happens is the doing of the hook that is being asked.
 */
import type { Effect } from "../core/effect.ts";
import type { AgentEvent, EventName } from "../core/event.ts";
import { HookFailure } from "../core/failure.ts";
import type { JudgeContext } from "../core/hook.ts";
import type { Verdict } from "../core/verdict.ts";
import type { HookData } from "./define-hook.ts";
import type { Pins } from "./module-pins.ts";
import type { WorkerReply, WorkerRequest } from "./module-protocol.ts";
import { startThread, type Thread } from "./module-thread.ts";

export interface ModuleRunnerOptions {
  /** The built module-worker. */
  readonly workerFile: string;
  /** The built index: where `import … from "holdfast"` leads. */
  readonly packageEntry: string;
  /** Absolute path to sha256 (hex): only these files may be loaded, with this content. Absent: any file. */
  readonly allowedFiles?: ReadonlyMap<string, string>;
  /** Compiled modules are kept here, out of the agent's reach; absent: nowhere. */
  readonly cacheDir?: string;
  /** How much this process may grow while a hook is asked. */
  readonly maxMemoryMb?: number;
  /** For the worker to start and a module to load, which a hook's own timeout does not cover. */
  readonly loadTimeoutMs?: number;
  /** A module broke the worker when it was not being asked. */
  readonly onLateFailure?: (failure: HookFailure) => void;
}

export interface ModuleRunner {
  /** What a module says of its hooks, in the order it exports them. `pins`: instead of allowedFiles; null: any file. */
  describe(file: string, pins?: Pins | null): Promise<readonly HookData[]>;
  judge(
    file: string,
    exportIndex: number,
    event: AgentEvent,
    context: JudgeContext,
    timeoutMs: number,
    pins?: Pins | null,
  ): Promise<Verdict>;
  close(): Promise<void>;
}

const DEFAULT_LOAD_TIMEOUT_MS = 10_000;
const DEFAULT_MEMORY_MB = 256;
const MEMORY_CHECK_MS = 20;
const MAX_PRINTED = 400;
const CLOSE_GRACE_MS = 500;

type Unsent = WorkerRequest extends infer R ? (R extends WorkerRequest ? Omit<R, "id" | "pins"> : never) : never;
type Answer = Extract<WorkerReply, { type: "described" | "judged" }> & { readonly printed: string };

interface Call {
  readonly request: WorkerRequest;
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (failure: HookFailure) => void;
  printed: string;
  /** Asked again because an earlier hook broke the worker. */
  again: boolean;
}

export function createModuleRunner(options: ModuleRunnerOptions): ModuleRunner {
  const { maxMemoryMb = DEFAULT_MEMORY_MB, loadTimeoutMs = DEFAULT_LOAD_TIMEOUT_MS, cacheDir = null } = options;
  const allowed = options.allowedFiles ? Object.fromEntries(options.allowedFiles) : null;
  const waiting: Call[] = [];
  let active: Call | undefined;
  let stopWatching = () => {};
  let thread: Thread | undefined;
  let lastId = 0;
  let closed = false;

  return {
    async describe(file, pins = allowed) {
      const answer = await ask({ type: "describe", file }, pins, loadTimeoutMs, undefined);
      return answer.type === "described" ? answer.hooks : [];
    },
    async judge(file, exportIndex, event, { now, options: settings, signal }, timeoutMs, pins = allowed) {
      const question = { type: "judge", file, exportIndex, event, now, options: settings } as const;
      const answer = await ask(question, pins, timeoutMs, signal);
      if (answer.type !== "judged") throw new HookFailure("crash", "the worker did not answer the question");
      return withPrinted(answer.verdict, answer.hook, event.name, answer.printed);
    },
    async close() {
      closed = true;
      const ended = endThread();
      for (const call of waiting.splice(0)) call.reject(crash(CLOSED));
      if (active) fail(active, crash(CLOSED));
      await Promise.race([ended, new Promise((done) => setTimeout(done, CLOSE_GRACE_MS).unref())]);
    },
  };

  function ask(unsent: Unsent, pins: Pins | null, timeoutMs: number, signal: AbortSignal | undefined): Promise<Answer> {
    return new Promise((resolve, reject) => {
      if (closed) throw crash(CLOSED);
      const request = { ...unsent, id: ++lastId, pins } as WorkerRequest;
      const call: Call = { request, timeoutMs, signal, resolve, reject, printed: "", again: false };
      signal?.addEventListener("abort", () => abort(call), { once: true });
      waiting.push(call);
      next();
    });
  }

  function next(): void {
    while (!active && waiting.length > 0) {
      active = waiting.shift() as Call;
      if (active.signal?.aborted) fail(active, unwanted());
      else put(active);
    }
  }

  function put(call: Call): void {
    watch(call, loadTimeoutMs, "was not loaded");
    thread ??= startThread({ ...options, cacheDir, maxMemoryMb, onReply: hear, onEnd: broke });
    thread.keep(true);
    try {
      thread.send(call.request);
    } catch (error) {
      fail(call, crash(`its event could not be handed over: ${String(error)}`));
    }
  }

  /** Time and memory; running out of either ends the worker. */
  function watch(call: Call, timeoutMs: number, late: string): void {
    stopWatching();
    const before = process.memoryUsage.rss();
    const timer = setTimeout(() => {
      stop(call, new HookFailure("timeout", `${late} within ${timeoutMs} ms`));
    }, timeoutMs);
    const memory = setInterval(() => {
      const grownMb = (process.memoryUsage.rss() - before) / 2 ** 20;
      if (grownMb > maxMemoryMb) stop(call, crash(`used more than ${maxMemoryMb} MB of memory`));
    }, MEMORY_CHECK_MS);
    stopWatching = () => {
      clearTimeout(timer);
      clearInterval(memory);
    };
  }

  function abort(call: Call): void {
    const place = waiting.indexOf(call);
    if (call === active) stop(call, unwanted());
    else if (place >= 0) {
      waiting.splice(place, 1);
      call.reject(unwanted());
    }
  }

  function hear(reply: WorkerReply): void {
    const call = active;
    if (reply.type === "crashed") broke(crash(reply.message), reply.id);
    else if (call && reply.id === call.request.id) proceed(call, reply);
  }

  function proceed(call: Call, reply: Exclude<WorkerReply, { type: "crashed" }>): void {
    switch (reply.type) {
      case "loaded":
        call.printed = "";
        watch(call, call.timeoutMs, "did not answer");
        break;
      case "printed":
        call.printed = `${call.printed}${reply.text}`.slice(0, MAX_PRINTED);
        break;
      case "failed":
        fail(call, new HookFailure(reply.code, reply.message));
        break;
      default:
        settle(() => call.resolve({ ...reply, printed: call.printed }));
    }
  }

  /** What an earlier hook left behind is not held against the one that is being asked: it is asked again. */
  function broke(failure: HookFailure, guilty: number | null = null): void {
    const call = active;
    const innocent = call && guilty !== null && guilty !== call.request.id && !call.again;
    void endThread();
    if (!call || innocent) options.onLateFailure?.(failure);
    if (!call) return;
    if (!innocent) {
      fail(call, failure);
      return;
    }
    call.again = true;
    put(call);
  }

  function stop(call: Call, failure: HookFailure): void {
    void endThread();
    fail(call, failure);
  }

  /** The next call gets a fresh one. */
  function endThread(): Promise<unknown> | undefined {
    const ended = thread?.end();
    thread = undefined;
    return ended;
  }

  function fail(call: Call, { code, message }: HookFailure): void {
    settle(() => call.reject(new HookFailure(code, withText(message, call.printed))));
  }

  function settle(answer: () => void): void {
    stopWatching();
    active = undefined;
    thread?.keep(false);
    answer();
    next();
  }
}

const CLOSED = "the module runner was closed";
const crash = (message: string) => new HookFailure("crash", message);
const unwanted = () => new HookFailure("timeout", "nobody waits for its answer any more");

const withText = (message: string, printed: string) =>
  printed.trim() === "" ? message : `${message}\n  it printed: ${printed.trim()}`;

/** A person should see what a hook printed; the host must not. */
function withPrinted(verdict: Verdict, hook: string, event: EventName, printed: string): Verdict {
  if (printed.trim() === "") return verdict;
  const message = `hook ${hook} printed: ${printed.trim()}`;
  const notice: Effect = {
    type: "notice",
    notice: { event_name: event, message, is_error: false, code: "printed", hook },
  };
  return { ...verdict, effects: [...(verdict.effects ?? []), notice] };
}
