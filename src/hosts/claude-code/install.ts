/** Claude Code's settings files: https://code.claude.com/docs/en/settings */
import { join } from "node:path";
import { eventRow } from "../../core/event.ts";
import { isJsonObject, type Json, type JsonObject } from "../../core/json.ts";
import { hookArguments, isHookArguments, isProgram, isShellCommand } from "../hook-command.ts";
import { type Install, type InstallTarget, type SupportRow, supportRows } from "../host.ts";
import { mcpServersEdit } from "../mcp-servers-file.ts";
import { type Registration, type SettingsFile, withoutRegistrations, withRegistrations } from "../settings-file.ts";
import { support } from "./support.ts";

const HOST = "claude-code";

export const install: Install = {
  edits(target) {
    const file = settingsFile(target);
    return [
      {
        path: file.path,
        add: (text) => withRegistrations(text, file),
        remove: (text) => withoutRegistrations(text, file),
      },
      // A person's own servers live in a file of Claude Code's state, which is not ours to edit: claude mcp add.
      ...(target.level === "project" ? [mcpServersEdit(join(target.projectDir, ".mcp.json"), target.program)] : []),
    ];
  },
};

function settingsFile(target: InstallTarget): SettingsFile {
  const isOurs = (handler: Json) => isJsonObject(handler) && runsUs(handler, target.program);
  return {
    path: settingsPath(target),
    reader: "Claude Code",
    registrations: registrations(target.program),
    ours(group) {
      const handlers = isJsonObject(group) && Array.isArray(group.hooks) ? group.hooks : [];
      if (handlers.length > 0 && handlers.every(isOurs)) return [[]];
      return handlers.flatMap((handler, index) => (isOurs(handler) ? [["hooks", index]] : []));
    },
    covers: (group) => isJsonObject(group) && ["", "*", ".*", undefined].includes(group.matcher as string | undefined),
  };
}

function settingsPath({ level, projectDir, homeDir, env }: InstallTarget): string {
  if (level === "managed") return join(MANAGED_DIR, "managed-settings.d", "holdfast.json");
  if (level === "user") return join(env.CLAUDE_CONFIG_DIR || join(homeDir, ".claude"), "settings.json");
  return join(projectDir, ".claude", level === "local" ? "settings.local.json" : "settings.json");
}

const MANAGED_DIR = process.platform === "darwin" ? "/Library/Application Support/ClaudeCode" : "/etc/claude-code";

/** Exec form: no shell between Claude Code and us. One per native event of the support table. */
function registrations(program: string): Registration[] {
  const rows = supportRows(support);
  const natives = [...new Set(rows.flatMap(({ native }) => native))];
  return natives.map((event) =>
    registration(
      event,
      program,
      rows.filter(({ native }) => native.includes(event)),
    ),
  );
}

function registration(event: string, program: string, rows: readonly SupportRow[]): Registration {
  const part = {
    type: "command",
    command: program,
    args: hookArguments(HOST),
    timeout: Math.max(...rows.map(({ timeoutMs }) => timeoutMs)) / 1000,
    ...(rows.some(({ onCrash }) => onCrash === "blocks") ? { onFailure: "block" } : {}),
  };
  const matcher = rows.some((row) => eventRow(row.event).tool) ? { matcher: "*" } : {};
  return { event, part, entry: { ...matcher, hooks: [part] } };
}

function runsUs({ type, command, args }: JsonObject, program: string): boolean {
  if (type !== "command" || typeof command !== "string") return false;
  if (args === undefined) return isShellCommand(command, program, HOST);
  return Array.isArray(args) && isHookArguments(args, HOST) && isProgram(command, program);
}
