/** Qwen Code's settings files, which hold hooks and MCP servers alike: bundled/qc-helper/docs/features/hooks.md. */
import { type GeminiSettings, geminiSettingsEdit } from "../gemini-settings.ts";
import type { FileEdit, Install } from "../host.ts";
import { mcpServersEdit } from "../mcp-servers-file.ts";
import { settingsPath } from "./places.ts";
import { support } from "./support.ts";
import { needsConsent, trustEdit } from "./trusted-folders.ts";

const SETTINGS: GeminiSettings = {
  host: "qwen",
  reader: "Qwen Code",
  support,
  settingsPath,
  // Exit 1 is no answer of ours on the events that guard.
  answers: [2],
  // In seconds; from 1,000 on it would be taken for milliseconds.
  handler: (command, timeoutMs) => ({ type: "command", command, timeout: timeoutMs / 1000 }),
  serverEdit,
};

export const install: Install = {
  edits: (target) => [geminiSettingsEdit(SETTINGS, target)],
  consents: (target) => (needsConsent(target) ? [trustEdit(target)] : []),
};

/** The file may begin with a byte order mark, which stays where it is. */
function serverEdit(path: string, program: string): FileEdit {
  const edit = mcpServersEdit(path, program, "kept");
  return {
    path,
    add: (text) => (text === undefined ? edit.add(text) : unmarked(text, edit.add)),
    remove: (text) => unmarked(text, (body) => edit.remove(body) ?? "") || undefined,
  };
}

function unmarked(text: string, change: (body: string) => string): string {
  const mark = text.startsWith("\uFEFF") ? "\uFEFF" : "";
  return mark + change(text.slice(mark.length));
}
