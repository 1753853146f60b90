import { type ChildProcess, spawn } from "node:child_process";
import { count, optional, text } from "../../core/fields.ts";
import type { Tool, ToolPlace } from "./tool.ts";

const DEFAULT_TIMEOUT_MS = 120_000;
const MAX_TIMEOUT_MS = 600_000;
const MAX_OUTPUT_BYTES = 100_000;
/** How long something in the background may keep the output open after the command has ended. */
const LINGER_MS = 500;

/** By which Holdfast knows the shell of an agent: what only a person may decide is refused there. */
const MARKER = { AI_AGENT: "holdfast-agent" };

export const shellTool: Tool = {
  name: "shell",
  description: "Runs a command with sh in the working directory and returns what it printed.",
  does: { kind: "shell", command: "command" },
  input: {
    command: text("the command line"),
    timeout_ms: optional(count("it is ended after so many milliseconds; default 120000, at most 600000")),
  },
  async run({ command, timeout_ms }, place) {
    const timeoutMs = Math.min(Number(timeout_ms ?? DEFAULT_TIMEOUT_MS), MAX_TIMEOUT_MS);
    const { output, ending } = await runCommand(String(command), timeoutMs, place);
    if (ending !== "exit 0") throw new Error(output === "" ? ending : `${ending}\n${output}`);
    return output;
  },
};

interface Ran {
  readonly output: string;
  readonly ending: string;
}

function runCommand(command: string, timeoutMs: number, { cwd, env, signal }: ToolPlace): Promise<Ran> {
  signal.throwIfAborted();
  return new Promise((done, failed) => {
    // A group of its own, so that whatever it starts ends with it.
    const child = spawn("sh", ["-c", command], {
      cwd,
      env: { ...env, ...MARKER },
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
    });
    const output = limitedOutput(child);
    let ending: string | undefined;
    const end = (why: string) => {
      ending ??= why;
      killGroup(child);
    };
    const timer = setTimeout(() => end(`ended after ${timeoutMs} ms: it took too long`), timeoutMs);
    const onAbort = () => end("ended: the turn was cancelled");
    signal.addEventListener("abort", onAbort);
    child.on("exit", (code, by) => {
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
      ending ??= by ? `ended by ${by}` : `exit ${code}`;
      const linger = setTimeout(() => {
        killGroup(child);
        child.stdout?.destroy();
        child.stderr?.destroy();
      }, LINGER_MS);
      child.once("close", () => clearTimeout(linger));
    });
    child.on("error", (error) => {
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
      failed(error);
    });
    child.on("close", () => done({ output: output(), ending: ending ?? "it did not start" }));
  });
}

function limitedOutput(child: ChildProcess): () => string {
  const chunks: Buffer[] = [];
  let kept = 0;
  let leftOut = 0;
  const take = (chunk: Buffer) => {
    const part = chunk.subarray(0, Math.max(0, MAX_OUTPUT_BYTES - kept));
    if (part.length > 0) chunks.push(part);
    kept += part.length;
    leftOut += chunk.length - part.length;
  };
  child.stdout?.on("data", take);
  child.stderr?.on("data", take);
  return () => {
    const printed = Buffer.concat(chunks).toString("utf8").trimEnd();
    return leftOut === 0
      ? printed
      : `${printed.replace(/\uFFFD$/, "")}\n(${leftOut} bytes more were printed and left out)`;
  };
}

function killGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGKILL");
  } catch {
    // The group is gone already.
  }
}
