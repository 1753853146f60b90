/** Cursor's hooks files: https://cursor.com/docs/hooks */
import { join } from "node:path";
import { HoldfastError } from "../../core/errors.ts";
import { eventRow } from "../../core/event.ts";
import { isJsonObject } from "../../core/json.ts";
import { isShellCommand, shellCommand } from "../hook-command.ts";
import { type Install, type InstallTarget, supportRows } from "../host.ts";
import { mcpServersEdit } from "../mcp-servers-file.ts";
import { type Registration, type SettingsFile, withoutRegistrations, withRegistrations } from "../settings-file.ts";
import { EVENTS, NOT_MCP, unfit } from "./hooks-file.ts";
import { support } from "./support.ts";

const HOST = "cursor";

export const install: Install = {
  edits(target) {
    const directory = directoryOf(target);
    const file = hooksFile(join(directory, "hooks.json"), target);
    return [
      {
        path: file.path,
        add: (text) => withRegistrations(text, file),
        remove: (text) => withoutRegistrations(text, file),
      },
      ...(target.level === "managed" ? [] : [mcpServersEdit(join(directory, "mcp.json"), target.program)]),
    ];
  },
};

function hooksFile(path: string, { program }: InstallTarget): SettingsFile {
  const command = shellCommand(program, HOST);
  if (command.includes("//")) throw new HoldfastError("HF401", `Cursor would cut ${command} off at its "//"`);
  return {
    path,
    reader: "Cursor",
    base: { version: 1 },
    unfit,
    comments: "kept",
    registrations: EVENTS.map((event) => registration(event, command)),
    ours: (entry) =>
      isJsonObject(entry) && typeof entry.command === "string" && isShellCommand(entry.command, program, HOST)
        ? [[]]
        : [],
    covers: () => true,
  };
}

/** Cursor has no settings of one checkout only. */
export function directoryOf({ level, projectDir, homeDir }: InstallTarget): string {
  if (level === "managed") return MANAGED_DIR;
  return join(level === "user" ? homeDir : projectDir, ".cursor");
}

const MANAGED_DIR = process.platform === "darwin" ? "/Library/Application Support/Cursor" : "/etc/cursor";

function registration(event: string, command: string): Registration {
  const rows = supportRows(support).filter(({ native }) => native.includes(event));
  const entry = {
    command,
    timeout: Math.max(...rows.map(({ timeoutMs }) => timeoutMs)) / 1000,
    ...(event === "preToolUse" ? { matcher: NOT_MCP } : {}),
    ...(rows.some((row) => eventRow(row.event).guards && row.onCrash === "blocks") ? { failClosed: true } : {}),
  };
  return { event, entry, part: entry };
}
