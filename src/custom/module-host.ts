/**
 * Runs hook modules in worker threads, where they may loop, exit, throw late, print or leak without harm to this process.
 * A worker is kept for the next question; one that is busy is hardly waited for, and one that a hook left something
 * running in is not used again.
 */
import type { AgentEvent } from "../core/event.ts";
import { HookFailure } from "../core/failure.ts";
import { verdictOf } from "../core/hearing.ts";
import type { HookTold, JudgeContext } from "../core/hook.ts";
import type { Verdict } from "../core/verdict.ts";
import type { HookData } from "./define-hook.ts";
import { Asker } from "./module-asker.ts";
import { PendingCall } from "./module-call.ts";
import { type Occupant, processLimit, type WorkerLimit } from "./module-limit.ts";
import type { Pins } from "./module-pins.ts";
import { type Answer, type Call, type Question, type Seat, startSeat } from "./module-seat.ts";

export interface ModuleRunnerOptions {
  /** The built module-worker. */
  readonly workerFile: string;
  /** The built index: where `import … from "holdfast"` leads. */
  readonly packageEntry: string;
  /** Absolute path to sha256 (hex): only these files may be loaded, with this content. Absent: any file. */
  readonly allowedFiles?: ReadonlyMap<string, string>;
  /** Compiled modules are kept here, out of the agent's reach; absent: nowhere. */
  readonly cacheDir?: string;
  /** What modules see as process.env; absent: our own. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** How much this process may grow while a hook is asked. */
  readonly maxMemoryMb?: number;
  /** For the worker to start and a module to load, which a hook's own timeout does not cover. */
  readonly loadTimeoutMs?: number;
  /** A module broke the worker when it was not being asked. */
  readonly onLateFailure?: (failure: HookFailure) => void;
  /** Shared with the other runners of this process. */
  readonly limit?: WorkerLimit;
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
  /**
   * Asks them in turn about one event, in as few ways there and back as it takes: what the first of them said, at least of
   * one. Who comes after one that rewrites the event, takes long or breaks the worker has not been asked.
   */
  judgeInTurn(
    askers: readonly Asker[],
    event: AgentEvent,
    context: Pick<JudgeContext, "signal">,
  ): readonly HookTold[] | Promise<readonly HookTold[]>;
  close(): Promise<void>;
}

/** A busy machine takes ten seconds to start a worker, and hosts wait for a minute. */
const DEFAULT_LOAD_TIMEOUT_MS = 30_000;
const DEFAULT_MEMORY_MB = 256;
const CLOSE_GRACE_MS = 500;
/** A busy worker is waited for as long as a quick hook takes, and no longer: starting another takes more. */
const PATIENCE_MS = 25;

export function createModuleRunner(options: ModuleRunnerOptions): ModuleRunner {
  const { workerFile, packageEntry, loadTimeoutMs = DEFAULT_LOAD_TIMEOUT_MS, limit = processLimit } = options;
  const settings = {
    workerFile,
    packageEntry,
    loadTimeoutMs,
    env: options.env ?? process.env,
    cacheDir: options.cacheDir ?? null,
    maxMemoryMb: options.maxMemoryMb ?? DEFAULT_MEMORY_MB,
    onLateFailure: options.onLateFailure ?? (() => {}),
  };
  const allowed = options.allowedFiles ? Object.fromEntries(options.allowedFiles) : null;
  const waiting: Call[] = [];
  const seats = new Set<Seat>();
  let patience: NodeJS.Timeout | undefined;
  let closed = false;
  const startOneMore = () => place(true);

  return {
    async describe(file, pins = allowed) {
      const answer = await ask({ type: "describe", file, pins }, NOBODY);
      return answer.type === "described" ? answer.hooks : [];
    },
    async judge(file, exportIndex, event, context, timeoutMs, pins = allowed) {
      const asker = new Asker({ file, exportIndex, pins, options: context.options, timeoutMs }, false);
      return verdictOf(
        toldIn(await ask({ type: "judge", askers: [asker], event, now: context.now.getTime() }, context)),
      );
    },
    judgeInTurn(askers, event, context) {
      const answer = ask({ type: "judge", askers, event, now: Date.parse(event.at) }, context);
      return answer instanceof Promise ? answer.then(toldIn) : toldIn(answer);
    },
    async close() {
      closed = true;
      clearTimeout(patience);
      for (const call of waiting.splice(0)) call.reject(closedFailure());
      const ended = Promise.all([...seats].map((seat) => seat.end(closedFailure())));
      // Not unref'd: a program that awaits this and has nothing else to do would end here.
      let grace: NodeJS.Timeout | undefined;
      const enough = new Promise((done) => {
        grace = setTimeout(done, CLOSE_GRACE_MS);
      });
      await Promise.race([ended, enough]).finally(() => clearTimeout(grace));
    },
  };

  /** At once, where whoever is asked answers at once. */
  function ask(question: Question, context: Pick<JudgeContext, "signal">): Answer | Promise<Answer> {
    if (closed) return Promise.reject(closedFailure());
    const call = new PendingCall(question);
    const seat = waiting.length === 0 ? idleSeat() : undefined;
    if (seat) seat.ask(call, true);
    // Nobody starts a worker for a question that is taken back already: of many hooks each would, and no timer fires.
    else if (context.signal.aborted) return Promise.reject(unwanted());
    else {
      waiting.push(call);
      place(seats.size === 0);
    }
    return call.answer ?? call.until(context.signal, () => abort(call));
  }

  function idleSeat(): Seat | undefined {
    for (const seat of seats) if (seat.isIdle()) return seat;
    return undefined;
  }

  /** Hands what waits to who is idle; `more`: and to one new worker, where nobody is. */
  function place(more: boolean): void {
    for (const seat of seats) {
      if (waiting.length === 0) return;
      if (seat.isIdle()) seat.ask(waiting.shift() as Call, false);
    }
    if (waiting.length > 0 && more) start()?.ask(waiting.shift() as Call, false);
    if (waiting.length === 0 || patience) return;
    patience = setTimeout(() => {
      patience = undefined;
      startOneMore();
    }, PATIENCE_MS);
  }

  /** undefined: as many workers as there may be are busy, or none can be started. */
  function start(): Seat | undefined {
    let seat: Seat | undefined;
    const occupant: Occupant = {
      isIdle: () => seat?.isIdle() ?? false,
      dismiss: () => void (seat?.isIdle() && seat.end(closedFailure())),
    };
    if (!limit.admit(occupant)) {
      limit.whenFree(startOneMore);
      return undefined;
    }
    const onRest = () => {
      place(false);
      if (occupant.isIdle()) limit.rest(occupant);
    };
    const onOver = (left: Call | undefined) => {
      if (seat) seats.delete(seat);
      limit.leave(occupant);
      if (left) waiting.unshift(left);
      if (!closed) place(left !== undefined || seats.size === 0);
    };
    try {
      seat = startSeat({ ...settings, onRest, onOver });
      seats.add(seat);
      return seat;
    } catch (error) {
      limit.leave(occupant);
      waiting.shift()?.reject(new HookFailure("crash", `no worker can be started: ${String(error)}`));
      return undefined;
    }
  }

  function abort(call: Call): void {
    const index = waiting.indexOf(call);
    if (index >= 0) waiting.splice(index, 1)[0]?.reject(unwanted());
    else for (const seat of seats) if (seat.stop(call, unwanted())) return;
  }
}

const closedFailure = () => new HookFailure("crash", "the module runner was closed");
const unwanted = () => new HookFailure("timeout", "nobody waits for its answer any more");

/** For questions that nobody takes back. */
const NOBODY = new AbortController();

const toldIn = (answer: Answer): readonly HookTold[] => (answer.type === "judged" ? answer.told : []);
