/** What git knows of a directory, asked only when a rule needs it. */
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";

const TIMEOUT_MS = 2_000;

/** true: no uncommitted change and nothing untracked; undefined: no repository, or git cannot say. */
export function gitIsClean(directory: string | undefined): boolean | undefined {
  if (directory === undefined) return undefined;
  try {
    // No optional locks: looking must not disturb the agent's own git.
    const args = ["--no-optional-locks", "status", "--porcelain", "--untracked-files=normal"];
    const { execFileSync } = process.getBuiltinModule("node:child_process");
    const output = execFileSync("git", args, {
      cwd: directory,
      timeout: TIMEOUT_MS,
      stdio: ["ignore", "pipe", "ignore"],
      encoding: "utf8",
    });
    return output.trim() === "";
  } catch {
    return undefined;
  }
}

export function gitBranch(directory: string | undefined): string | undefined {
  for (let dir = directory; dir !== undefined && dir !== dirname(dir); dir = dirname(dir)) {
    const head = readHead(join(dir, ".git", "HEAD"));
    if (head !== undefined) return /^ref: refs\/heads\/(.+)$/.exec(head.trim())?.[1];
  }
  return undefined;
}

function readHead(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}
