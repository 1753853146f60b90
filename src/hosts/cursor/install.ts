/** Cursor's hooks files: https://cursor.com/docs/hooks */
import { join } from "node:path";
import { HoldfastError } from "../../core/errors.ts";
import { eventRow } from "../../core/event.ts";
import { isJsonObject } from "../../core/json.ts";
import { isShellCommand, shellCommand } from "../hook-command.ts";
import type { Install, InstallTarget } from "../host.ts";
import { mcpServersEdit } from "../mcp-servers-file.ts";
import { type NativeEvent, nativeEvents } from "../native-events.ts";
import { type Registration, type SettingsFile, settingsEdit } from "../settings-file.ts";
import { NOT_MCP, unfit } from "./hooks-file.ts";
import { SECOND_LOOKS, support } from "./support.ts";

const HOST = "cursor";

export const install: Install = {
  edits(target) {
    const directory = directoryOf(target);
    return [
      settingsEdit(hooksFile(join(directory, "hooks.json"), target)),
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
    registrations: nativeEvents(support)
      .filter(({ event }) => !SECOND_LOOKS.some((name) => name === event))
      .map((native) => registration(native, command)),
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

function registration({ event, rows, timeoutMs }: NativeEvent, command: string): Registration {
  const entry = {
    command,
    timeout: timeoutMs / 1000,
    ...(event === "preToolUse" ? { matcher: NOT_MCP } : {}),
    ...(rows.some((row) => eventRow(row.event).guards && row.onCrash === "blocks") ? { failClosed: true } : {}),
  };
  return { event, entry, part: entry };
}
