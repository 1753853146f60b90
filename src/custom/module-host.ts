/**
 * Runs hook modules in a worker thread, which may loop, exit, throw late, print or leak without harm to this process.
 * One request at a time, so that whatever happens is the doing of the hook that is being asked.
 */
import { Worker } from "node:worker_threads";
import type { Effect } from "../core/effect.ts";
import type { AgentEvent } from "../core/event.ts";
import { HookFailure } from "../core/failure.ts";
import type { JudgeContext } from "../core/hook.ts";
import type { Verdict } from "../core/verdict.ts";
import type { HookData } from "./define-hook.ts";
import { firstLines } from "./module-failure.ts";
import type { Pins } from "./module-pins.ts";
import type { WorkerReply, WorkerRequest, WorkerSetup } from "./module-protocol.ts";

export interface ModuleRunnerOptions {
  /** The built module-worker. */
  readonly workerFile: string;
  /** The built index: where `import … from "holdfast"` leads. */
  readonly packageEntry: string;
  /** Absolute path to sha256 (hex): only these files may be loaded, with this content. Absent: any file. */
  readonly allowedFiles?: ReadonlyMap<string, string>;
  /** Compiled modules are kept here, out of the agent's reach; absent: nowhere. */
  readonly cacheDir?: string;
  /** How much the process may grow while a hook is asked. */
  readonly maxMemoryMb?: number;
  /** A module broke the worker when nobody was asking it. */
  readonly onLateFailure?: (failure: HookFailure) => void;
}

export interface ModuleRunner {
  /** What a module says of its hooks, in the order it exports them. `pins`: instead of `allowedFiles`; null: any file. */
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

const DESCRIBE_TIMEOUT_MS = 10_000;
const DEFAULT_MEMORY_MB = 256;
const MEMORY_CHECK_MS = 20;
/** A thread that V8 finds over its limit can take the process with it, so the limit that acts is ours, far below. */
const HARD_LIMIT_FACTOR = 16;
const MAX_PRINTED = 400;
const CLOSE_GRACE_MS = 500;

type Unsent = WorkerRequest extends infer R ? (R extends WorkerRequest ? Omit<R, "id" | "pins"> : never) : never;
type Answered = Extract<WorkerReply, { type: "described" | "judged" }>;

interface Call {
  readonly request: WorkerRequest;
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
  readonly resolve: (answer: Answered & { printed: string }) => void;
  readonly reject: (failure: HookFailure) => void;
  printed: string;
  retried: boolean;
  stopWatching: () => void;
}

export function createModuleRunner(options: ModuleRunnerOptions): ModuleRunner {
  const { maxMemoryMb = DEFAULT_MEMORY_MB } = options;
  const allowed = options.allowedFiles ? Object.fromEntries(options.allowedFiles) : null;
  const waiting: Call[] = [];
  let active: Call | undefined;
  let worker: Worker | undefined;
  let lastId = 0;
  let closed = false;

  return {
    async describe(file, pins = allowed) {
      const answer = await ask({ type: "describe", file }, pins, DESCRIBE_TIMEOUT_MS, undefined);
      return answer.type === "described" ? answer.hooks : [];
    },
    async judge(file, exportIndex, event, { now, options: settings, signal }, timeoutMs, pins = allowed) {
      const request = { type: "judge", file, exportIndex, event, now, options: settings } as const;
      const answer = await ask(request, pins, timeoutMs, signal);
      if (answer.type !== "judged") throw new HookFailure("crash", "the worker did not answer the question");
      return withPrinted(answer.verdict, answer.hook, event, answer.printed);
    },
    async close() {
      closed = true;
      for (const call of waiting.splice(0)) call.reject(new HookFailure("crash", CLOSED));
      const ending = worker;
      stop(new HookFailure("crash", CLOSED));
      await Promise.race([ending?.terminate(), new Promise((done) => setTimeout(done, CLOSE_GRACE_MS).unref())]);
    },
  };

  function ask(unsent: Unsent, pins: Pins | null, timeoutMs: number, signal: AbortSignal | undefined) {
    return new Promise<Answered & { printed: string }>((resolve, reject) => {
      if (closed) throw new HookFailure("crash", CLOSED);
      const request = { ...unsent, id: ++lastId, pins } as WorkerRequest;
      const state = { printed: "", retried: false, stopWatching: () => {} };
      const call: Call = { request, timeoutMs, signal, resolve, reject, ...state };
      const leave = () => leaveQueue(call);
      signal?.addEventListener("abort", leave, { once: true });
      call.stopWatching = () => signal?.removeEventListener("abort", leave);
      waiting.push(call);
      if (signal?.aborted) leave();
      next();
    });
  }

  function leaveQueue(call: Call): void {
    const place = waiting.indexOf(call);
    if (place < 0) return;
    waiting.splice(place, 1);
    call.reject(new HookFailure("timeout", UNWANTED));
  }

  function next(): void {
    if (active) return;
    active = waiting.shift();
    if (active) send(active);
  }

  function send(call: Call): void {
    call.stopWatching();
    call.stopWatching = watch(call);
    worker ??= startWorker();
    worker.ref();
    try {
      worker.postMessage(call.request);
    } catch (error) {
      finish(() => call.reject(new HookFailure("crash", `its event could not be handed over: ${String(error)}`)));
    }
  }

  /** Time, memory and the caller's patience; each ends the worker, also in the middle of an endless loop. */
  function watch({ timeoutMs, signal }: Call): () => void {
    const before = process.memoryUsage.rss();
    const unwanted = () => stop(new HookFailure("timeout", UNWANTED));
    const timer = setTimeout(
      () => stop(new HookFailure("timeout", `did not answer within ${timeoutMs} ms`)),
      timeoutMs,
    );
    const memory = setInterval(() => {
      if (process.memoryUsage.rss() - before > maxMemoryMb * 2 ** 20) stop(outOfMemory());
    }, MEMORY_CHECK_MS);
    signal?.addEventListener("abort", unwanted, { once: true });
    return () => {
      clearTimeout(timer);
      clearInterval(memory);
      signal?.removeEventListener("abort", unwanted);
    };
  }

  function startWorker(): Worker {
    const workerData: WorkerSetup = { packageEntry: options.packageEntry, cacheDir: options.cacheDir ?? null };
    const started = new Worker(options.workerFile, {
      workerData,
      stdout: true,
      stderr: true,
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: maxMemoryMb * HARD_LIMIT_FACTOR },
    });
    started.stdout.resume();
    started.stderr.resume();
    started.on("message", (reply: WorkerReply) => started === worker && hear(reply));
    started.on("error", (error) => started === worker && stop(failureOfWorker(error)));
    started.on(
      "exit",
      (code) => started === worker && stop(new HookFailure("crash", `ended the process (exit ${code})`)),
    );
    return started;
  }

  function hear(reply: WorkerReply): void {
    const call = active;
    if (reply.type === "crashed") crashed(reply.id, new HookFailure("crash", reply.message));
    else if (call && reply.id === call.request.id) proceed(call, reply);
  }

  function proceed(call: Call, reply: Exclude<WorkerReply, { type: "crashed" }>): void {
    switch (reply.type) {
      case "loaded":
        call.printed = "";
        break;
      case "printed":
        call.printed = `${call.printed}${reply.text}`.slice(0, MAX_PRINTED);
        break;
      case "failed":
        finish(() => call.reject(new HookFailure(reply.code, withText(reply.message, call.printed))));
        break;
      default:
        finish(() => call.resolve({ ...reply, printed: call.printed }));
    }
  }

  /** What an earlier hook left behind is not held against the one that is being asked: it is asked again, elsewhere. */
  function crashed(guilty: number | null, failure: HookFailure): void {
    const innocent = guilty !== null && guilty !== active?.request.id && !active?.retried ? active : undefined;
    if (!innocent) {
      stop(failure);
      return;
    }
    innocent.retried = true;
    dropWorker();
    options.onLateFailure?.(failure);
    send(innocent);
  }

  /** Ends the worker; the next call gets a fresh one. */
  function stop(failure: HookFailure): void {
    const call = active;
    dropWorker();
    if (call) finish(() => call.reject(new HookFailure(failure.code, withText(failure.message, call.printed))));
    else if (!closed) options.onLateFailure?.(failure);
  }

  function dropWorker(): void {
    const dropped = worker;
    worker = undefined;
    dropped?.unref();
    void dropped?.terminate();
  }

  function finish(settle: () => void): void {
    active?.stopWatching();
    active = undefined;
    worker?.unref();
    settle();
    next();
  }

  function outOfMemory(): HookFailure {
    return new HookFailure("crash", `used more than ${maxMemoryMb} MB of memory`);
  }

  function failureOfWorker(error: unknown): HookFailure {
    const spent = (error as { code?: unknown }).code === "ERR_WORKER_OUT_OF_MEMORY";
    return spent ? outOfMemory() : new HookFailure("crash", firstLines(error));
  }
}

const CLOSED = "the module runner was closed";
const UNWANTED = "nobody waits for its answer any more";

const withText = (message: string, printed: string) =>
  printed.trim() === "" ? message : `${message}\n  it printed: ${printed.trim()}`;

/** A person should see what a hook printed; the host must not. */
function withPrinted(verdict: Verdict, hook: string, event: AgentEvent, printed: string): Verdict {
  if (printed.trim() === "") return verdict;
  const message = `hook ${hook} printed: ${printed.trim()}`;
  const notice: Effect = {
    type: "notice",
    notice: { event_name: event.name, message, is_error: false, code: "printed", hook },
  };
  return { ...verdict, effects: [...(verdict.effects ?? []), notice] };
}
