import type { Host } from "../host.ts";
import { codec } from "./codec.ts";
import { support } from "./support.ts";
import { tools } from "./tools.ts";

export const opencode = {
  id: "opencode",
  title: "OpenCode",
  provenVersion: "1.18.18",
  inProcess: true,
  codec,
  support,
  tools,
  probes: {
    shell: (command) => ({ tool: "bash", input: { command } }),
    write: (path, content) => ({ tool: "write", input: { filePath: path, content } }),
    edit: (path, before, after) => ({
      tool: "edit",
      input: { filePath: path, oldString: before, newString: after },
    }),
    read: (path) => ({ tool: "read", input: { filePath: path } }),
  },
  markers: ["OPENCODE", "OPENCODE_PID"],
  settingsGlobs: [".opencode/**", "opencode.json", "opencode.jsonc", "~/.config/opencode/**", "~/.opencode/**"],
  // Nothing is cut by the host; the model's own window is the limit.
  maxContextCharacters: 8_500,
} as const satisfies Host;
