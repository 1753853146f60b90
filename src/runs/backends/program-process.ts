/** One program of an attempt: fed with the prompt, its output kept as it comes, ended with everything it started. */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { createWriteStream, existsSync, type WriteStream } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { HoldfastError } from "../../core/errors.ts";
import { makeDirectory } from "../../files/make-directory.ts";
import { killTree, marked, newRunId } from "../../process/kill-tree.ts";

export interface ProgramStart {
  readonly argv: readonly string[];
  readonly cwd: string;
  /** The whole environment. */
  readonly env: NodeJS.ProcessEnv;
  readonly stdin: string;
  readonly outputFile: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Each line of standard output, as it comes. */
  onLine(line: string): void;
  /** What went wrong beside the program, for whoever watches. */
  onRemark(remark: string): void;
  /** The leader of its process group. */
  readonly onProcess: ((pid: number) => void) | undefined;
}

export interface ProgramEnd {
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly isTimedOut: boolean;
  readonly isAborted: boolean;
  /** The end of what it printed; the output file has all of it. */
  readonly stdout: string;
  readonly stderr: string;
}

export const KEPT_BYTES = { stdout: 1024 * 1024, stderr: 64 * 1024 };
/** A longer line is no event that we read. */
const MAX_LINE_CHARACTERS = 16 * 1024 * 1024;
/** Programs say goodbye first: they end sessions of their own and call hooks. */
const GRACE_MS = 3_000;
/** How long something left in the background may hold the output open. */
const PIPE_WAIT_MS = 1_000;
/** A timer of more goes off at once. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

export async function runProgram(start: ProgramStart): Promise<ProgramEnd> {
  if (start.signal.aborted) {
    return { exitCode: null, signal: null, isTimedOut: false, isAborted: true, stdout: "", stderr: "" };
  }
  const runId = newRunId();
  const child = spawnProgram(start, runId);
  if (child.pid !== undefined) start.onProcess?.(child.pid);
  const file = openOutput(start);
  const lines = lineSplitter(start);
  const stdout = keepTail(child.stdout, KEPT_BYTES.stdout);
  const stderr = keepTail(child.stderr, KEPT_BYTES.stderr);
  child.stdout.on("data", (chunk: Buffer) => lines.push(chunk));
  for (const stream of [child.stdout, child.stderr]) copyInto(file, stream);
  const closed = new Promise<void>((settle) => child.once("close", () => settle()));

  const tree = () => (child.pid === undefined ? undefined : { pid: child.pid, runId });
  const ending = endedFromOutside(start, async () => {
    const found = tree();
    if (found) await killTree(found, GRACE_MS);
  });
  try {
    const [exitCode, signal] = await exitOf(child, start);
    const outside = await ending.settled();
    await Promise.race([closed, sleep(PIPE_WAIT_MS, undefined, { ref: false })]);
    lines.end();
    return {
      ...{ exitCode, signal, isTimedOut: outside === "timeout", isAborted: outside === "aborted" },
      ...{ stdout: stdout(), stderr: stderr() },
    };
  } finally {
    ending.forget();
    child.stdout.destroy();
    child.stderr.destroy();
    await file.end();
  }
}

function spawnProgram({ argv, cwd, env, stdin }: ProgramStart, runId: string): ChildProcessWithoutNullStreams {
  const [program = "", ...args] = argv;
  if (!existsSync(cwd)) throw cannotRun(program, `the directory ${cwd} does not exist`);
  const child = spawn(program, args, {
    cwd,
    env: marked(env, runId),
    detached: process.platform !== "win32",
    windowsHide: true,
    stdio: ["pipe", "pipe", "pipe"],
  });
  // A program that does not read its input closes the pipe under us; that is its right.
  child.stdin.on("error", () => {});
  child.stdin.end(stdin);
  return child;
}

function exitOf(child: ChildProcessWithoutNullStreams, { argv }: ProgramStart) {
  return new Promise<[number | null, string | null]>((settle, reject) => {
    child.once("error", (error) => reject(cannotRun(argv[0] ?? "", error.message)));
    child.once("exit", (code, signal) => settle([code, signal]));
  });
}

const cannotRun = (program: string, why: string) =>
  new HoldfastError("HF1042", `${program} cannot be run: ${why}`, {
    hint: "install it, or name the program with backendConfig.command in the agent",
  });

/** Time and abort: whichever comes first ends the tree, and says so. */
function endedFromOutside({ timeoutMs, signal }: ProgramStart, kill: () => Promise<void>) {
  let why: "timeout" | "aborted" | undefined;
  let killing: Promise<void> | undefined;
  const end = (reason: "timeout" | "aborted") => {
    why ??= reason;
    killing ??= kill();
  };
  const timer = setTimeout(() => end("timeout"), Math.min(timeoutMs, MAX_TIMER_MS));
  const onAbort = () => end("aborted");
  signal.addEventListener("abort", onAbort);
  const forget = () => {
    clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
  };
  return {
    forget,
    async settled() {
      forget();
      await killing;
      return why;
    },
  };
}

interface OutputCopy {
  readonly stream: WriteStream;
  readonly isBroken: () => boolean;
  end(): Promise<void>;
}

function openOutput({ outputFile, onRemark }: ProgramStart): OutputCopy {
  makeDirectory(dirname(outputFile), 0o700);
  const stream = createWriteStream(outputFile, { flags: "a", mode: 0o600 });
  let broken = false;
  stream.on("error", (error) => {
    if (!broken) onRemark(`the output can no longer be written to ${outputFile}: ${error.message}`);
    broken = true;
    stream.emit("drain");
  });
  return {
    stream,
    isBroken: () => broken,
    end: () => new Promise((settle) => (broken ? settle() : stream.end(() => settle()).once("error", () => settle()))),
  };
}

/** A program that prints faster than the disk takes it waits. */
function copyInto({ stream, isBroken }: OutputCopy, from: NodeJS.ReadableStream): void {
  from.on("data", (chunk: Buffer) => {
    if (isBroken() || stream.write(chunk)) return;
    from.pause();
    stream.once("drain", () => from.resume());
  });
}

function keepTail(stream: NodeJS.ReadableStream, maxBytes: number): () => string {
  let chunks: Buffer[] = [];
  let bytes = 0;
  stream.on("data", (chunk: Buffer) => {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes < 2 * maxBytes) return;
    chunks = [Buffer.concat(chunks).subarray(-maxBytes)];
    bytes = maxBytes;
  });
  return () =>
    Buffer.concat(chunks)
      .subarray(-maxBytes)
      .toString("utf8")
      .replace(/^\uFFFD+/, "");
}

function lineSplitter({ onLine, onRemark }: ProgramStart) {
  const decoder = new TextDecoder();
  let rest = "";
  let isTooLong = false;
  const take = (text: string) => {
    const [first = "", ...more] = text.split("\n");
    rest += first;
    if (rest.length > MAX_LINE_CHARACTERS) {
      if (!isTooLong) onRemark(`a line of more than ${MAX_LINE_CHARACTERS} characters was printed and is not read`);
      isTooLong = true;
      rest = "";
    }
    for (const next of more) {
      if (!isTooLong && rest.trim() !== "") onLine(rest);
      isTooLong = false;
      rest = next;
    }
  };
  return {
    push: (chunk: Buffer) => take(decoder.decode(chunk, { stream: true })),
    end() {
      take(decoder.decode());
      if (!isTooLong && rest.trim() !== "") onLine(rest);
      rest = "";
    },
  };
}
