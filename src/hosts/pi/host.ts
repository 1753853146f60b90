import type { Host } from "../host.ts";
import { codec } from "./codec.ts";
import { support } from "./support.ts";
import { tools } from "./tools.ts";

export const pi = {
  id: "pi",
  title: "pi",
  provenVersion: "0.87.1",
  inProcess: true,
  codec,
  support,
  tools,
  probes: {
    shell: (command) => ({ tool: "bash", input: { command } }),
    write: (path, content) => ({ tool: "write", input: { path, content } }),
    edit: (path, before, after) => ({
      tool: "edit",
      input: { path, edits: [{ oldText: before, newText: after }] },
    }),
    read: (path) => ({ tool: "read", input: { path } }),
  },
  markers: ["PI_CODING_AGENT", "PI_SESSION_ID"],
  settingsGlobs: [
    ".pi/extensions/**",
    ".pi/settings.json",
    "~/.pi/agent/extensions/**",
    "~/.pi/agent/settings.json",
    "~/.pi/agent/trust.json",
  ],
  // pi cuts nothing: this is what a model can be expected to read beside its work.
  maxContextCharacters: 16_000,
} as const satisfies Host;
