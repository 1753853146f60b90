import type { Host } from "../host.ts";
import { codec } from "./codec.ts";
import { support } from "./support.ts";
import { tools } from "./tools.ts";

export const qwen = {
  id: "qwen",
  title: "Qwen Code",
  provenVersion: "0.24.4",
  codec,
  support,
  tools,
  probes: {
    shell: (command) => ({ tool: "run_shell_command", input: { command, is_background: false } }),
    write: (path, content) => ({ tool: "write_file", input: { file_path: path, content } }),
    edit: (path, before, after) => ({
      tool: "edit",
      input: { file_path: path, old_string: before, new_string: after },
    }),
    read: (path) => ({ tool: "read_file", input: { file_path: path } }),
  },
  projectDir: (env) => env.QWEN_PROJECT_DIR,
  markers: ["QWEN_CODE", "QWEN_CODE_SESSION_ID", "QWEN_CODE_PROMPT_ID"],
  settingsGlobs: [".qwen/settings.json", "~/.qwen/settings.json", "~/.qwen/trustedFolders.json"],
  owns: ({ session_id: session }, env) =>
    env.QWEN_CODE_SESSION_ID !== undefined && env.QWEN_CODE_SESSION_ID === session,
  // 60,000 characters passed on every event but PreCompact, which takes 4,000.
  maxContextCharacters: 50_000,
} as const satisfies Host;
