import type { Host } from "../host.ts";
import { codec } from "./codec.ts";
import { registers } from "./hooks-file.ts";
import { isCursors } from "./parse.ts";
import { SILENCE } from "./render.ts";
import { support } from "./support.ts";
import { tools } from "./tools.ts";

export const cursor = {
  id: "cursor",
  title: "Cursor",
  provenVersion: "documented",
  codec,
  support,
  tools,
  probes: {
    shell: (command) => ({ tool: "Shell", input: { command } }),
    write: (path, content) => ({ tool: "Write", input: { file_path: path, content } }),
    edit: (path, before, after) => ({
      tool: "Write",
      input: { file_path: path, old_string: before, new_string: after },
    }),
    read: (path) => ({ tool: "Read", input: { file_path: path } }),
  },
  projectDir: (env) => env.CURSOR_PROJECT_DIR,
  // CURSOR_TRACE_ID is in a person's own terminal, too.
  markers: ["CURSOR_AGENT", "CURSOR_INVOKED_AS"],
  settingsGlobs: [".cursor/hooks.json", "~/.cursor/hooks.json", ".cursor/mcp.json", "~/.cursor/mcp.json"],
  // It also calls what ~/.claude/settings.json and .claude/settings*.json register.
  owns: isCursors,
  ownRegistrations: ({ projectDir, homeDir }) => [
    `${projectDir}/.cursor/hooks.json`,
    `${homeDir}/.cursor/hooks.json`,
    "/etc/cursor/hooks.json",
    "/Library/Application Support/Cursor/hooks.json",
  ],
  registers,
  silence: SILENCE,
  // Over 10,000 characters it drops the text.
  maxContextCharacters: 8_500,
} as const satisfies Host;
