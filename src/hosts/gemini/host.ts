import type { Host } from "../host.ts";
import { codec } from "./codec.ts";
import { support } from "./support.ts";
import { tools } from "./tools.ts";

export const gemini = {
  id: "gemini",
  title: "Gemini CLI",
  provenVersion: "0.61.0",
  codec,
  support,
  tools,
  probes: {
    shell: (command) => ({ tool: "run_shell_command", input: { command } }),
    write: (path, content) => ({ tool: "write_file", input: { file_path: path, content } }),
    edit: (path, before, after) => ({
      tool: "replace",
      input: { file_path: path, old_string: before, new_string: after },
    }),
    read: (path) => ({ tool: "read_file", input: { file_path: path } }),
  },
  projectDir: (env) => env.GEMINI_PROJECT_DIR,
  markers: ["GEMINI_CLI", "GEMINI_SESSION_ID"],
  settingsGlobs: [
    ".gemini/settings.json",
    "~/.gemini/settings.json",
    "~/.gemini/trustedFolders.json",
    "~/.gemini/trusted_hooks.json",
  ],
  owns: (payload, env) => env.GEMINI_SESSION_ID !== undefined && payload.session_id === env.GEMINI_SESSION_ID,
  // 8,900 characters arrived whole, also below an output that the program cut; the rest is for the label.
  maxContextCharacters: 8_500,
} as const satisfies Host;
