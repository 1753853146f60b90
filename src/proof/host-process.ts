import { spawn } from "node:child_process";
import { delimiter, dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

export interface HostProcess {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
}

export interface HostExit {
  readonly exitCode: number | null;
  readonly timedOut: boolean;
  readonly stdout: string;
  readonly stderr: string;
  readonly durationMs: number;
}

const graceMs = 5_000;

/** Runs a program without input in a process group of its own; when its time is over, the whole group is ended. */
export async function runHostProcess({ command, args, cwd, env, timeoutMs }: HostProcess): Promise<HostExit> {
  const startedAt = performance.now();
  const child = spawn(command, args, { cwd, env, detached: true, stdio: ["ignore", "pipe", "pipe"] });
  const stdout = collect(child.stdout);
  const stderr = collect(child.stderr);
  const closed = new Promise<void>((resolve) => child.once("close", () => resolve()));

  let timedOut = false;
  const signalGroup = (signal: NodeJS.Signals) => {
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) {
      process.kill(-child.pid, signal);
    }
  };
  // Asked first, killed after: hosts run commands in sessions of their own, which only the host itself can end.
  const limit = setTimeout(() => {
    timedOut = true;
    signalGroup("SIGTERM");
  }, timeoutMs);
  const lastLimit = setTimeout(() => signalGroup("SIGKILL"), timeoutMs + graceMs);
  try {
    const exitCode = await new Promise<number | null>((resolve, reject) => {
      child.once("error", reject);
      child.once("exit", resolve);
    });
    // A background process that kept our pipes open must not hold the run up.
    await Promise.race([closed, sleep(1_000, undefined, { ref: false })]);
    return { exitCode, timedOut, stdout: stdout(), stderr: stderr(), durationMs: performance.now() - startedAt };
  } finally {
    clearTimeout(limit);
    clearTimeout(lastLimit);
    child.stdout.destroy();
    child.stderr.destroy();
  }
}

/** The PATH of a clean environment: the system's programs and the Node that runs this. */
export const cleanPath = [dirname(process.execPath), "/usr/local/bin", "/usr/bin", "/bin"].join(delimiter);

function collect(stream: NodeJS.ReadableStream): () => string {
  const chunks: Buffer[] = [];
  stream.on("data", (chunk: Buffer) => chunks.push(chunk));
  return () => Buffer.concat(chunks).toString("utf8");
}
