/** Runs a command hook: one process per event, its input on stdin, its answer on stdout, nothing of it left behind. */
import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, resolve as resolvePath } from "node:path";
import type { Hook } from "../core/hook.ts";
import { killTree, marked, newRunId } from "../process/kill-tree.ts";
import { commandVerdict } from "./command-verdict.ts";
import { wireInput } from "./wire-input.ts";

export interface CommandHookOptions {
  /** The hook's name. */
  readonly name: string;
  /** A line for the shell. */
  readonly command: string;
  /** Where to run it instead of the session's directory. */
  readonly cwd?: string;
  /** Set over what is inherited. */
  readonly env?: Environment;
  readonly timeoutMs: number;
  /** The config file that declares the hook. */
  readonly configFile?: string;
  /** What the command inherits; the process's own environment where it is not given. */
  readonly inherited?: Environment;
}

export type Environment = { readonly [name: string]: string | undefined };

export function commandHook(options: CommandHookOptions): Hook["judge"] {
  const { name, command, env, timeoutMs, configFile } = options;
  return async (event, { signal }) => {
    const result = await runCommand({
      command,
      cwd: resolvePath(event.cwd, options.cwd ?? ""),
      env: {
        ...(options.inherited ?? process.env),
        ...env,
        HOLDFAST_HOOK: name,
        HOLDFAST_EVENT: event.name,
        HOLDFAST_CONFIG_FILE_DIR: configFile === undefined ? undefined : dirname(resolvePath(configFile)),
      },
      stdin: JSON.stringify(wireInput(event)),
      timeoutMs,
      signal,
    });
    return commandVerdict(event.name, result, { hook: name, timeoutMs });
  };
}

export interface CommandRequest {
  readonly command: string;
  readonly cwd: string;
  /** The whole environment. */
  readonly env: Environment;
  readonly stdin: string;
  /** For everything: start, input, work, output. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

export interface CommandResult {
  readonly end: CommandEnd;
  readonly stdout: string;
  readonly stderr: string;
}

export type CommandEnd =
  | { readonly kind: "exit"; readonly code: number }
  | { readonly kind: "signal"; readonly signal: string }
  | { readonly kind: "timeout" | "aborted" | "output-limit" }
  | { readonly kind: "not-started"; readonly problem: string };

export const MAX_STDOUT_BYTES = 1024 * 1024;
export const MAX_STDERR_BYTES = 64 * 1024;

/** Never rejects: every way a command can end is a result. */
export async function runCommand(request: CommandRequest): Promise<CommandResult> {
  if (request.signal?.aborted) return { end: { kind: "aborted" }, stdout: "", stderr: "" };
  const runId = newRunId();
  let child: ChildProcessWithoutNullStreams;
  try {
    child = start(request, runId);
  } catch (error) {
    return { end: notStarted(request, error), stdout: "", stderr: "" };
  }
  const output: Output = { stdout: keep(child.stdout, MAX_STDOUT_BYTES), stderr: keep(child.stderr, MAX_STDERR_BYTES) };
  const end = await ending(child, output, request);
  if (KILLED.includes(end.kind) && child.pid !== undefined) await killTree({ pid: child.pid, runId });
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.destroy();
  return { end, stdout: output.stdout.text(), stderr: output.stderr.text() };
}

const KILLED: readonly CommandEnd["kind"][] = ["timeout", "aborted", "output-limit"];

/** A group of its own, so that all of it can be ended. Loaded here: most events run no command, and loading takes 4 ms. */
function start({ command, cwd, env, stdin }: CommandRequest, runId: string): ChildProcessWithoutNullStreams {
  const { spawn } = process.getBuiltinModule("node:child_process");
  const child = spawn(command, {
    shell: true,
    cwd,
    env: marked(env, runId),
    detached: process.platform !== "win32",
    windowsHide: true,
  });
  // A command that does not read its input closes the pipe under us; that is its right.
  child.stdin?.on("error", () => {});
  child.stdin?.end(stdin);
  return child;
}

function notStarted({ cwd }: CommandRequest, error: unknown): CommandEnd {
  const problem = existsSync(cwd) ? String(error) : `the directory ${cwd} does not exist`;
  return { kind: "not-started", problem };
}

interface Kept {
  text(): string;
  bytes(): number;
  /** More came than is kept. */
  readonly overflow: Promise<void>;
  readonly closed: Promise<void>;
}

/** Reads a stream to its end and keeps the first bytes of it. */
function keep(stream: NodeJS.ReadableStream | undefined, maxBytes: number): Kept {
  const chunks: Buffer[] = [];
  let bytes = 0;
  const overflow = new Promise<void>((settle) => {
    stream?.on("data", (chunk: Buffer) => {
      const room = chunk.subarray(0, maxBytes - bytes);
      bytes += room.length;
      if (room.length > 0) chunks.push(room);
      if (room.length < chunk.length) settle();
    });
  });
  const closed = new Promise<void>((settle) => {
    if (stream) stream.on("error", () => {}).once("close", settle);
    else settle();
  });
  return { text: () => Buffer.concat(chunks).toString("utf8"), bytes: () => bytes, overflow, closed };
}

/** What ends the wait first. */
async function ending(
  child: ChildProcessWithoutNullStreams,
  output: Output,
  request: CommandRequest,
): Promise<CommandEnd> {
  const { timeoutMs, signal } = request;
  const cleanUp = new AbortController();
  try {
    return await new Promise<CommandEnd>((settle) => {
      const timer = setTimeout(() => settle({ kind: "timeout" }), Math.min(timeoutMs, MAX_TIMER_MS));
      cleanUp.signal.addEventListener("abort", () => clearTimeout(timer));
      signal?.addEventListener("abort", () => settle({ kind: "aborted" }), { signal: cleanUp.signal });
      void output.stdout.overflow.then(() => settle({ kind: "output-limit" }));
      child.once("error", (error) => settle(notStarted(request, error)));
      child.once("exit", (code, by) => {
        clearTimeout(timer);
        const end: CommandEnd = code === null ? { kind: "signal", signal: String(by) } : { kind: "exit", code };
        void drained(output).then(() => settle(end));
      });
    });
  } finally {
    cleanUp.abort();
  }
}

interface Output {
  readonly stdout: Kept;
  readonly stderr: Kept;
}

const MAX_TIMER_MS = 2 ** 31 - 1;
/** How long to wait for pipes that a child of the ended command still holds open. */
const PIPE_WAIT_MS = 100;

/** All the command itself wrote. After the wait one quiet turn of the loop, so that a busy machine loses nothing. */
async function drained({ stdout, stderr }: Output): Promise<void> {
  let open = true;
  const closed = Promise.all([stdout.closed, stderr.closed]).then(() => {
    open = false;
  });
  await Promise.race([closed, new Promise((settle) => setTimeout(settle, PIPE_WAIT_MS).unref())]);
  for (let before = -1; open && before !== stdout.bytes() + stderr.bytes(); ) {
    before = stdout.bytes() + stderr.bytes();
    await new Promise((settle) => setImmediate(settle));
  }
}
