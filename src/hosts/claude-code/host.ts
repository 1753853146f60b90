import type { Host } from "../host.ts";
import { codec } from "./codec.ts";
import { support } from "./support.ts";
import { tools } from "./tools.ts";

export const claudeCode = {
  id: "claude-code",
  title: "Claude Code",
  provenVersion: "2.1.325",
  codec,
  support,
  tools,
  probes: {
    shell: (command) => ({ tool: "Bash", input: { command } }),
    write: (path, content) => ({ tool: "Write", input: { file_path: path, content } }),
    edit: (path, before, after) => ({
      tool: "Edit",
      input: { file_path: path, old_string: before, new_string: after },
    }),
    read: (path) => ({ tool: "Read", input: { file_path: path } }),
  },
  projectDir: (env) => env.CLAUDE_PROJECT_DIR,
  markers: ["CLAUDECODE", "CLAUDE_CODE_SESSION_ID", "CLAUDE_CODE_ENTRYPOINT", "AI_AGENT"],
  settingsGlobs: [
    ".claude/settings.json",
    ".claude/settings.local.json",
    "~/.claude/settings.json",
    "~/.claude.json",
    ".mcp.json",
  ],
  alsoReadBy: ["copilot", "cursor"],
  // 9,000 characters passed, 12,000 became a preview and a file path; the rest is for the label.
  maxContextCharacters: 8_500,
} as const satisfies Host;
