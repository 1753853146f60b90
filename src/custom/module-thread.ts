/** One worker thread for hook modules, and all that Node has to say about its end. */
import { randomUUID } from "node:crypto";
import { Worker } from "node:worker_threads";
import { HookFailure } from "../core/failure.ts";
import { firstLines } from "./module-failure.ts";
import type { MarkedReply, WorkerReply, WorkerSetup } from "./module-protocol.ts";

export interface ThreadOptions {
  readonly workerFile: string;
  readonly packageEntry: string;
  readonly cacheDir: string | null;
  /** What modules see as process.env. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly maxMemoryMb: number;
  readonly sheet: SharedArrayBuffer;
  onReply(reply: WorkerReply): void;
  /** It ended, and not because it was told to. */
  onEnd(failure: HookFailure): void;
}

export interface Thread {
  /** A request, as JSON. */
  send(request: string): void;
  /** Whether our process stays for it. */
  keep(yes: boolean): void;
  /** Also in the middle of an endless loop. Nothing is heard of it afterwards. */
  end(): Promise<unknown>;
}

/**
 * Where V8 finds a thread over its limit it may abort the whole process (Node 20: a map or a list that grows is enough).
 * So the limit that acts is the runner's, and V8's lies far above it.
 */
const V8_LIMIT_FACTOR = 16;

export function startThread({
  workerFile,
  maxMemoryMb,
  env: given,
  onReply,
  onEnd,
  ...options
}: ThreadOptions): Thread {
  const mark = randomUUID();
  const { packageEntry, cacheDir, sheet } = options;
  // Node refuses to start a worker with an environment of its own in which NODE_OPTIONS names what only a process has.
  const { NODE_OPTIONS: nodeOptions = null, ...env } = given;
  const workerData: WorkerSetup = { mark, sheet, packageEntry, cacheDir, nodeOptions };
  const resourceLimits = { maxOldGenerationSizeMb: maxMemoryMb * V8_LIMIT_FACTOR };
  const worker = new Worker(workerFile, { workerData, env, stdout: true, stderr: true, execArgv: [], resourceLimits });
  worker.unref();
  let over = false;
  let ended: Promise<unknown> | undefined;

  const end = (failure: HookFailure) => {
    if (!over) onEnd(failure);
    over = true;
  };
  worker.on("message", (message: unknown) => {
    const [sent, reply] = Array.isArray(message) ? (message as unknown as MarkedReply) : [];
    if (!over && reply && sent === mark) onReply(reply);
  });
  worker.on("error", (error) => end(new HookFailure("crash", firstLines(error))));
  worker.on("exit", (code) => end(new HookFailure("crash", `ended the process (exit ${code})`)));

  return {
    send: (request) => worker.postMessage(request),
    keep: (yes) => (yes ? worker.ref() : worker.unref()),
    end() {
      over = true;
      worker.unref();
      ended ??= worker.terminate();
      return ended;
    },
  };
}
