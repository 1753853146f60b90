import type { Host } from "../host.ts";
import { codec } from "./codec.ts";
import { isCopilots } from "./dialect.ts";
import { support } from "./support.ts";
import { tools } from "./tools.ts";

export const copilot = {
  id: "copilot",
  title: "GitHub Copilot CLI",
  provenVersion: "1.0.102",
  codec,
  support,
  tools,
  probes: {
    shell: (command) => ({ tool: "bash", input: { command, description: "a command" } }),
    write: (path, content) => ({ tool: "create", input: { path, file_text: content } }),
    edit: (path, before, after) => ({ tool: "edit", input: { path, old_str: before, new_str: after } }),
    read: (path) => ({ tool: "view", input: { path } }),
  },
  projectDir: (env) => env.COPILOT_PROJECT_DIR,
  markers: ["COPILOT_CLI", "COPILOT_AGENT_SESSION_ID"],
  settingsGlobs: [
    ".github/hooks/**",
    ".github/copilot/settings.json",
    ".github/copilot/settings.local.json",
    ".github/mcp.json",
    ".mcp.json",
    "~/.copilot/hooks/**",
    "~/.copilot/settings.json",
    "~/.copilot/config.json",
    "~/.copilot/mcp-config.json",
  ],
  owns: (payload) => isCopilots(payload),
  ownRegistrations: ({ projectDir, homeDir, env }) => [
    `${projectDir}/.github/hooks/holdfast.json`,
    `${env.COPILOT_HOME || `${homeDir}/.copilot`}/hooks/holdfast.json`,
    "/etc/github-copilot/policy.d/holdfast.json",
  ],
  registers: (file) => file.includes("hook --host copilot") && isJsonText(file),
  // A tool's result is cut at 10,240 characters, context and all; elsewhere 60,000 passed.
  maxContextCharacters: 8_500,
} as const satisfies Host;

/** Copilot skips a file that is none. */
function isJsonText(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
