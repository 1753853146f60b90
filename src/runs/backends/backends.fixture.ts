import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Invocation } from "../backend.ts";
import type { RunSettings } from "../run.ts";

export interface Watched {
  readonly progress: string[];
  readonly sessions: string[];
  readonly processes: number[];
  readonly invocation: Invocation;
  readonly abort: AbortController;
  output(): string;
}

export const settings: RunSettings = {
  cwd: tmpdir(),
  backend: "command",
  model: null,
  effort: null,
  timeoutSec: 60,
  unrestricted: true,
  maxRetries: 3,
  message: null,
  backendConfig: {},
  backendArgs: [],
};

const made: string[] = [];

export function removeScratch(): void {
  for (const directory of made.splice(0)) rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
}

export function scratch(): string {
  const directory = mkdtempSync(join(tmpdir(), "holdfäst backend "));
  made.push(directory);
  return directory;
}

/** An attempt in a scratch directory, and all that is heard of it. */
export function watched(given: Partial<RunSettings>, more: Partial<Invocation> = {}): Watched {
  const directory = scratch();
  const outputFile = join(directory, "attempts", "01.log");
  const progress: string[] = [];
  const sessions: string[] = [];
  const processes: number[] = [];
  const abort = new AbortController();
  return {
    progress,
    sessions,
    processes,
    abort,
    output: () => readFileSync(outputFile, "utf8"),
    invocation: {
      prompt: "Do it.",
      settings: { ...settings, cwd: directory, ...given },
      session: null,
      env: { ...process.env },
      outputFile,
      signal: abort.signal,
      timeoutMs: 60_000,
      onProgress: (line) => progress.push(line),
      onSession: (session) => sessions.push(session),
      onProcess: (pid) => processes.push(pid),
      ...more,
    },
  };
}
