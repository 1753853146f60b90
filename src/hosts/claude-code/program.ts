import { join } from "node:path";
import type { HostProgram } from "../program.ts";

export const program: HostProgram = {
  commands: ["claude"],
  signs: { project: [".claude", "CLAUDE.md"], home: [".claude", ".claude.json"] },
  transcript: {
    where: "~/.claude/projects/<directory with - for />/<session>.jsonl",
    format: "jsonl",
    shape:
      "one message or bookkeeping entry a line, chained by uuid and parentUuid; sub-agents in <session>/subagents/",
  },
  headless: (prompt) => ["-p", prompt, "--output-format", "json"],
  otherHooks: "all hooks run at once; a denial wins, and of several rewrites the last to finish",
  mergesEqualHooks: true,
  ownCheck: {
    args: ["doctor"],
    problems: ({ stdout }) => invalidSettings(stdout),
  },
  offline: {
    wire: "anthropic",
    run: ({ modelUrl, homeDir, prompt, mcpServer }) => ({
      args: [
        "-p",
        prompt,
        ...["--model", "claude-sonnet-4-5", "--dangerously-skip-permissions"],
        ...["--output-format", "stream-json", "--verbose", "--include-hook-events"],
        ...(mcpServer ? ["--mcp-config", JSON.stringify({ mcpServers: { [mcpServer.name]: mcpServer } })] : []),
      ],
      env: {
        TMPDIR: join(homeDir, "tmp"),
        // As root the program refuses to skip permissions outside a sandbox.
        IS_SANDBOX: "1",
        ANTHROPIC_BASE_URL: modelUrl,
        ANTHROPIC_API_KEY: "sk-ant-not-a-key",
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
        DISABLE_AUTOUPDATER: "1",
        DISABLE_TELEMETRY: "1",
        DISABLE_ERROR_REPORTING: "1",
      },
      seeds: [{ path: join(homeDir, "tmp", ".keep"), text: () => "" }],
    }),
    says: {
      shell: (command) => ({ name: "Bash", input: { command, description: "a step of the script" } }),
      write: (path, content) => ({ name: "Write", input: { file_path: path, content } }),
      edit: (path, before, after) => ({
        name: "Edit",
        input: { file_path: path, old_string: before, new_string: after },
      }),
      read: (path) => ({ name: "Read", input: { file_path: path } }),
      mcp: (server, tool, input) => ({ name: `mcp__${server}__${tool}`, input }),
      delegate: (prompt) => ({
        name: "Agent",
        input: { description: "a task", prompt, subagent_type: "general-purpose" },
      }),
    },
  },
};

/** It drops a settings file with one bad key and says so nowhere else. */
function invalidSettings(stdout: string): string[] {
  const lines = stdout.split("\n");
  const start = lines.findIndex((line) => line.includes("Invalid settings"));
  if (start < 0) return [];
  const end = lines.findIndex((line, index) => index > start && line.trim() === "");
  return [
    lines
      .slice(start, end < 0 ? undefined : end)
      .map((line) => line.trim())
      .join(" "),
  ];
}
