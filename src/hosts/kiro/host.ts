import type { Host } from "../host.ts";
import { codec } from "./codec.ts";
import { registers } from "./hooks-file.ts";
import { support } from "./support.ts";
import { tools } from "./tools.ts";

export const kiro = {
  id: "kiro",
  title: "Kiro",
  provenVersion: "documented",
  codec,
  support,
  tools,
  probes: {
    shell: (command) => ({ tool: "execute_bash", input: { command } }),
    write: (path, content) => ({ tool: "fs_write", input: { command: "create", path, file_text: content } }),
    edit: (path, before, after) => ({
      tool: "fs_write",
      input: { command: "str_replace", path, old_str: before, new_str: after },
    }),
    read: (path) => ({ tool: "fs_read", input: { operations: [{ mode: "Line", path }] } }),
  },
  markers: ["KIRO_SESSION_ID"],
  settingsGlobs: [
    ".kiro/hooks/**",
    ".kiro/agents/**",
    "~/.kiro/hooks/**",
    "~/.kiro/agents/**",
    ".kiro/settings/mcp.json",
  ],
  ownRegistrations: ({ projectDir, homeDir }) => [
    `${projectDir}/.kiro/hooks/holdfast.json`,
    `${homeDir}/.kiro/hooks/holdfast.json`,
  ],
  registers,
  // What was registered for CLI 2.x, called by CLI 3, which reads our hooks file as well.
  repeats: ({ hook_event_name: event }, { event: registeredFor }) =>
    typeof event === "string" && /^[A-Z]/.test(event) && /^[a-z]/.test(registeredFor ?? ""),
  maxContextCharacters: 8_500,
} as const satisfies Host;
