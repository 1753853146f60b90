/** Plays the part of the host: sends the payloads a real one sends to the command a real one would call, and obeys. */
import { spawn, spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { makeDirectory } from "../../files/make-directory.ts";
import type { DemoProject } from "./project.ts";

export interface HookAnswer {
  readonly decision: "allowed" | "blocked" | "ask" | "rewritten" | "continued" | "ended";
  readonly reason: string;
  readonly context: string;
  readonly command?: string;
  readonly ms: number;
}

export interface DemoAgent {
  send(event: string, payload: object): Promise<HookAnswer>;
  /** Runs the tool for real, in the scratch project. */
  perform(
    tool: string,
    input: Readonly<Record<string, string>>,
  ): { event: "PostToolUse" | "PostToolUseFailure"; payload: object };
}

export function demoAgent(project: DemoProject): DemoAgent {
  const common = {
    session_id: "demo",
    transcript_path: `${project.scratchDir}/transcript.jsonl`,
    cwd: project.projectDir,
    permission_mode: "default",
  };
  return {
    async send(event, payload) {
      const startedAt = performance.now();
      const { command, args } = project.registered(event);
      const result = await runHook(
        command,
        args,
        JSON.stringify({ ...common, hook_event_name: event, ...payload }),
        project,
      );
      return readAnswer(event, result, performance.now() - startedAt);
    },
    perform: (tool, input) => performTool(tool, input, project),
  };
}

function runHook(command: string, args: readonly string[], stdin: string, project: DemoProject) {
  return new Promise<{ stdout: string; stderr: string; exitCode: number | null }>((resolve, reject) => {
    const child = spawn(command, args, { cwd: project.projectDir, env: { ...project.env, CLAUDECODE: "1" } });
    let stdout = "";
    let stderr = "";
    child.stdout.on("data", (chunk) => (stdout += chunk));
    child.stderr.on("data", (chunk) => (stderr += chunk));
    child.on("error", reject);
    child.on("close", (exitCode) => resolve({ stdout, stderr, exitCode }));
    child.stdin.on("error", () => {});
    child.stdin.end(stdin);
  });
}

interface ClaudeAnswer {
  readonly decision?: "block";
  readonly reason?: string;
  readonly hookSpecificOutput?: {
    readonly permissionDecision?: "deny" | "ask" | "allow";
    readonly permissionDecisionReason?: string;
    readonly updatedInput?: { readonly command?: string };
    readonly additionalContext?: string;
  };
}

/** What Claude Code reads out of a hook's answer. */
function readAnswer(
  event: string,
  { stdout, stderr, exitCode }: { stdout: string; stderr: string; exitCode: number | null },
  ms: number,
): HookAnswer {
  const answer: ClaudeAnswer = stdout.trim() === "" ? {} : JSON.parse(stdout);
  const specific = answer.hookSpecificOutput ?? {};
  const context = specific.additionalContext ?? "";
  const rest = { context, ms };
  if (exitCode === 2) return { decision: "blocked", reason: stderr, ...rest };
  if (event === "Stop")
    return { decision: answer.decision === "block" ? "continued" : "ended", reason: answer.reason ?? "", ...rest };
  if (specific.permissionDecision === "deny" || answer.decision === "block") {
    return { decision: "blocked", reason: specific.permissionDecisionReason ?? answer.reason ?? "", ...rest };
  }
  if (specific.permissionDecision === "ask")
    return { decision: "ask", reason: specific.permissionDecisionReason ?? "", ...rest };
  const command = specific.updatedInput?.command;
  return command === undefined
    ? { decision: "allowed", reason: "", ...rest }
    : { decision: "rewritten", reason: "", command, ...rest };
}

function performTool(tool: string, input: Readonly<Record<string, string>>, { projectDir, env }: DemoProject) {
  const call = { tool_name: tool, tool_input: input, tool_use_id: "demo-call" };
  if (tool === "Write") {
    makeDirectory(dirname(input.file_path as string));
    writeFileSync(input.file_path as string, input.content as string);
    return {
      event: "PostToolUse" as const,
      payload: { ...call, tool_response: { type: "update", filePath: input.file_path }, duration_ms: 1 },
    };
  }
  if (tool === "Read") {
    const content = readFileSync(input.file_path as string, "utf8");
    return {
      event: "PostToolUse" as const,
      payload: {
        ...call,
        tool_response: { type: "text", file: { filePath: input.file_path, content } },
        duration_ms: 1,
      },
    };
  }
  const startedAt = performance.now();
  const { stdout, stderr, status } = spawnSync("sh", ["-c", input.command ?? ""], {
    cwd: projectDir,
    env,
    encoding: "utf8",
  });
  const duration_ms = Math.round(performance.now() - startedAt);
  if (status !== 0)
    return {
      event: "PostToolUseFailure" as const,
      payload: { ...call, error: `Exit code ${status}\n${stderr}`, is_interrupt: false, duration_ms },
    };
  return {
    event: "PostToolUse" as const,
    payload: { ...call, tool_response: { stdout, stderr, interrupted: false, isImage: false }, duration_ms },
  };
}
