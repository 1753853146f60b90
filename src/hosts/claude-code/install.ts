/** Claude Code's settings files: https://code.claude.com/docs/en/settings */
import { join } from "node:path";
import { isJsonObject, type JsonObject } from "../../core/json.ts";
import { hookArguments, isHookArguments, isProgram, isShellCommand } from "../hook-command.ts";
import { hookGroups } from "../hook-groups.ts";
import type { Install, InstallTarget } from "../host.ts";
import { mcpServersEdit } from "../mcp-servers-file.ts";
import { nativeEvents } from "../native-events.ts";
import { type Registration, type SettingsFile, settingsEdit } from "../settings-file.ts";
import { support } from "./support.ts";

const HOST = "claude-code";

export const install: Install = {
  edits(target) {
    return [
      settingsEdit(settingsFile(target)),
      // A person's own servers live in a file of Claude Code's state, which is not ours to edit: claude mcp add.
      ...(target.level === "project" ? [mcpServersEdit(join(target.projectDir, ".mcp.json"), target.program)] : []),
    ];
  },
};

function settingsFile(target: InstallTarget): SettingsFile {
  return {
    path: settingsPath(target),
    reader: "Claude Code",
    registrations: registrations(target.program),
    ...hookGroups((handler) => isJsonObject(handler) && runsUs(handler, target.program)),
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
  return nativeEvents(support).map(({ event, timeoutMs, blocksOnCrash, ofTools }) => {
    const part = {
      type: "command",
      command: program,
      args: hookArguments(HOST),
      timeout: timeoutMs / 1000,
      ...(blocksOnCrash ? { onFailure: "block" } : {}),
    };
    return { event, part, entry: { ...(ofTools ? { matcher: "*" } : {}), hooks: [part] } };
  });
}

function runsUs({ type, command, args }: JsonObject, program: string): boolean {
  if (type !== "command" || typeof command !== "string") return false;
  if (args === undefined) return isShellCommand(command, program, HOST);
  return Array.isArray(args) && isHookArguments(args, HOST) && isProgram(command, program);
}
