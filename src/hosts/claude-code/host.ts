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
  shellProbe: { event: "PreToolUse", tool: "Bash" },
  projectDir: (env) => env.CLAUDE_PROJECT_DIR,
  markers: ["CLAUDECODE", "CLAUDE_CODE_SESSION_ID", "CLAUDE_CODE_ENTRYPOINT", "AI_AGENT"],
  // 9,000 characters passed, 12,000 became a preview and a file path; the rest is for the label.
  maxContextCharacters: 8_500,
} as const satisfies Host;
