/** Runs a program for a hook: no shell, its input given and closed, its output capped, all of it ended with the hook. */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { HookFailure } from "../../../core/failure.ts";

export interface ProgramRequest {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: string;
  readonly signal: AbortSignal;
}

export interface ProgramResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

const MAX_OUTPUT_BYTES = 1024 * 1024;
/** From being asked to end to being ended. */
const GRACE_MS = 500;

/** Rejects with HookFailure where there is no exit code: not started, ended by a signal, too much output, called off. */
export function runProgram({ command, args, cwd, env, stdin, signal }: ProgramRequest): Promise<ProgramResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, env, detached: process.platform !== "win32", windowsHide: true });
    const output = { stdout: [] as Buffer[], stderr: [] as Buffer[], bytes: 0 };
    const fail = (failure: HookFailure) => {
      endTree(child);
      reject(failure);
    };
    const keep = (name: "stdout" | "stderr") => (chunk: Buffer) => {
      output.bytes += chunk.length;
      output[name].push(chunk);
      if (output.bytes > MAX_OUTPUT_BYTES) {
        fail(new HookFailure("output-limit", `${command} printed more than ${MAX_OUTPUT_BYTES / 1024 / 1024} MiB`));
      }
    };
    const onAbort = () => fail(new HookFailure("timeout", `${command} was ended: nobody waits for it any more`));
    child.stdout.on("data", keep("stdout"));
    child.stderr.on("data", keep("stderr"));
    // A program that does not read its input closes the pipe under us; that is its right.
    child.stdin.on("error", () => {});
    child.stdin.end(stdin);
    child.once("error", (error) => {
      const problem = existsSync(cwd) ? error.message : `the directory ${cwd} does not exist`;
      fail(new HookFailure("missing", `${command} cannot be started: ${problem}`));
    });
    child.once("close", (code, endedBy) => {
      signal.removeEventListener("abort", onAbort);
      if (code === null) return fail(new HookFailure("signal", `${command} was ended by ${endedBy}`));
      resolve({ exitCode: code, stdout: text(output.stdout), stderr: text(output.stderr) });
    });
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true });
  });
}

const text = (chunks: readonly Buffer[]) => Buffer.concat(chunks).toString("utf8");

/** Its process group, which everything it started is in unless it left on purpose. */
function endTree(child: ChildProcess): void {
  send(child, "SIGTERM");
  setTimeout(() => send(child, "SIGKILL"), GRACE_MS).unref();
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.destroy();
}

function send({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(process.platform === "win32" ? pid : -pid, signal);
  } catch (error) {
    // Gone already.
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
