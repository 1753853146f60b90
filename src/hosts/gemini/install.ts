/** Gemini CLI's settings files, which hold hooks and MCP servers alike: bundle/docs/reference/configuration.md. */
import { type GeminiSettings, geminiSettingsEdit } from "../gemini-settings.ts";
import type { Install } from "../host.ts";
import { mcpServersEdit } from "../mcp-servers-file.ts";
import { settingsPath } from "./places.ts";
import { support } from "./support.ts";
import { trustEdit } from "./trusted-folders.ts";

/** By this name a person can switch a hook off (`hooksConfig.disabled`). */
export const HOOK_NAME = "holdfast";

const SETTINGS: GeminiSettings = {
  host: "gemini",
  reader: "Gemini CLI",
  support,
  settingsPath,
  answers: [1, 2],
  handler: (command, timeoutMs) => ({ name: HOOK_NAME, type: "command", command, timeout: timeoutMs }),
  serverEdit: (path, program) => mcpServersEdit(path, program, "kept"),
};

export const install: Install = {
  edits: (target) => [geminiSettingsEdit(SETTINGS, target)],
  // Whoever registers for every project vouches for none of them by that.
  consents: (target) => (target.level === "user" || target.level === "managed" ? [] : [trustEdit(target)]),
};
