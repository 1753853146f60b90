/** For tests: the worker built as in a release, and projects that know nothing of Holdfast but a hook file. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { build } from "esbuild";
import type { AgentEvent, EventOf } from "../core/event.ts";
import type { JudgeContext } from "../core/hook.ts";
import type { ToolCall } from "../core/tool.ts";

export interface BuiltPackage {
  readonly workerFile: string;
  readonly packageEntry: string;
  /** Longer than a busy machine takes to start a worker. */
  readonly loadTimeoutMs: number;
  /** The built module-host, for tests that need a process of their own. */
  readonly hostFile: string;
  remove(): void;
}

export async function buildPackage(): Promise<BuiltPackage> {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), "holdfast-built-")));
  const source = join(import.meta.dirname, "..");
  symlinkSync(join(source, "..", "node_modules"), join(dir, "node_modules"));
  await build({
    entryPoints: {
      worker: join(source, "custom/module-worker.ts"),
      host: join(source, "custom/module-host.ts"),
      index: join(source, "index.ts"),
    },
    outdir: dir,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
    external: ["jiti"],
    logLevel: "error",
  });
  return {
    workerFile: join(dir, "worker.mjs"),
    packageEntry: join(dir, "index.mjs"),
    loadTimeoutMs: 60_000,
    hostFile: join(dir, "host.mjs"),
    remove: () => rmSync(dir, { recursive: true, force: true }),
  };
}

export interface Project {
  readonly dir: string;
  /** Writes a file, gives its absolute path. */
  write(path: string, text: string): string;
  remove(): void;
}

export function temporaryProject(): Project {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), "holdfast-project-")));
  return {
    dir,
    write(path, text) {
      const file = join(dir, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
      return file;
    },
    remove: () => rmSync(dir, { recursive: true, force: true }),
  };
}

const common = {
  id: "e1",
  at: "2026-11-13T16:00:00.000Z",
  host: "claude-code",
  session: "s1",
  turn: "t1",
  agent: null,
  parentAgent: null,
  cwd: "/project",
  permissionMode: "default",
  model: "m",
  transcriptPath: null,
} as const;

export const shellCall = (command: string): ToolCall => ({
  name: "Bash",
  kind: "shell",
  input: { command },
  command,
  paths: [],
  id: "call-1",
});

export const preToolUse = (command: string, more: Partial<AgentEvent> = {}): EventOf<"pre_tool_use"> =>
  ({ ...common, name: "pre_tool_use", tool: shellCall(command), ...more }) as EventOf<"pre_tool_use">;

export const postToolUse = (response: string, more: Partial<AgentEvent> = {}): EventOf<"post_tool_use"> =>
  ({
    ...common,
    name: "post_tool_use",
    tool: shellCall("ls"),
    response,
    failed: false,
    outcomeUnknown: false,
    durationMs: 3,
    ...more,
  }) as EventOf<"post_tool_use">;

export const sessionStart = (more: Partial<AgentEvent> = {}): EventOf<"session_start"> =>
  ({ ...common, name: "session_start", source: "startup", ...more }) as EventOf<"session_start">;

export const judgeContext = (more: Partial<JudgeContext> = {}): JudgeContext => ({
  now: new Date(common.at),
  options: {},
  signal: new AbortController().signal,
  ...more,
});
