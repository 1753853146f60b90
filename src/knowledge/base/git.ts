/** Git, asked what it knows of the project's files; it never writes. */
import { spawn } from "node:child_process";

const TIMEOUT_MS = 10_000;

/** What git printed, between NULs, however much it is. A text says why there is nothing. `noneCode`: how it ends then. */
export function gitList(
  root: string,
  args: readonly string[],
  noneCode = 0,
): Promise<readonly string[] | { readonly problem: string }> {
  return new Promise((resolve) => {
    const options = ["--no-optional-locks", "-c", "core.quotepath=off", "-c", "core.fsmonitor=false", "-C", root];
    const child = spawn("git", [...options, ...args], { stdio: ["ignore", "pipe", "pipe"] });
    const chunks: Buffer[] = [];
    let errors = "";
    let why: string | undefined;
    const timer = setTimeout(() => {
      why = `git took longer than ${TIMEOUT_MS} ms`;
      child.kill("SIGKILL");
    }, TIMEOUT_MS);
    child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
    child.stderr.on("data", (chunk: Buffer) => {
      errors = `${errors}${chunk}`.slice(-2000);
    });
    child.on("error", (error) => {
      why = `git cannot be run: ${error.message}`;
    });
    child.on("close", (code) => {
      clearTimeout(timer);
      if (why !== undefined || (code !== 0 && code !== noneCode))
        resolve({ problem: why ?? (errors.trim() || `git ended with ${code}`) });
      else
        resolve(
          Buffer.concat(chunks)
            .toString("utf8")
            .split("\0")
            .filter((part) => part !== ""),
        );
    });
  });
}

export const isGitProblem = (
  value: readonly string[] | { readonly problem: string },
): value is { readonly problem: string } => "problem" in value;
