/** Gemini CLI's settings files, which hold hooks and MCP servers alike: bundle/docs/reference/configuration.md. */
import { eventRow } from "../../core/event.ts";
import { isJsonObject, type Json } from "../../core/json.ts";
import { BLOCK_PREFIX } from "../answer-text.ts";
import { isShellCommand, shellCommand } from "../hook-command.ts";
import { type FileEdit, type Install, type InstallTarget, type Level, type SupportRow, supportRows } from "../host.ts";
import { mcpServersEdit } from "../mcp-servers-file.ts";
import { type Registration, type SettingsFile, withoutRegistrations, withRegistrations } from "../settings-file.ts";
import { settingsPath } from "./places.ts";
import { support } from "./support.ts";
import { trustEdit } from "./trusted-folders.ts";

const HOST = "gemini";

/** By this name a person can switch a hook off (`hooksConfig.disabled`). */
export const HOOK_NAME = "holdfast";

export const install: Install = {
  edits(target) {
    const file = settingsFile(target);
    const hooks: FileEdit = {
      path: file.path,
      add: (text) => withRegistrations(text, file),
      remove: (text) => withoutRegistrations(text, file),
    };
    if (isShared(target.level)) return [hooks];
    return [both(hooks, mcpServersEdit(file.path, target.program, "kept"))];
  },
  // Whoever registers for every project vouches for none of them by that.
  consents: (target) => (isShared(target.level) ? [] : [trustEdit(target)]),
};

const isShared = (level: Level) => level === "user" || level === "managed";

/** Two changes of one file, taken back in the opposite order. */
function both(first: FileEdit, second: FileEdit): FileEdit {
  return {
    path: first.path,
    add: (text) => second.add(first.add(text)),
    remove(text) {
      const left = second.remove(text);
      return left === undefined ? undefined : first.remove(left);
    },
  };
}

function settingsFile(target: InstallTarget): SettingsFile {
  const isOurs = (hook: Json) => isJsonObject(hook) && hook.type === "command" && runsUs(hook.command, target.program);
  return {
    path: settingsPath(target),
    reader: "Gemini CLI",
    comments: "kept",
    registrations: registrations(target.program),
    ours(group) {
      const hooks = isJsonObject(group) && Array.isArray(group.hooks) ? group.hooks : [];
      if (hooks.length > 0 && hooks.every(isOurs)) return [[]];
      return hooks.flatMap((hook, index) => (isOurs(hook) ? [["hooks", index]] : []));
    },
    covers: (group) => isJsonObject(group) && ["", "*", ".*", undefined].includes(group.matcher as string | undefined),
  };
}

/** One per native event of the support table. */
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
  const blocks = rows.some(({ onCrash }) => onCrash === "blocks");
  const part = {
    name: HOOK_NAME,
    type: "command",
    command: shellCommand(program, HOST) + (blocks ? STANDBY : ""),
    timeout: Math.max(...rows.map(({ timeoutMs }) => timeoutMs)),
  };
  const matcher = rows.some((row) => eventRow(row.event).tool) ? { matcher: "*" } : {};
  return { event, part, entry: { ...matcher, hooks: [part] } };
}

/**
 * Gemini CLI lets a call run whose hook was killed or printed nothing. The shell between the two speaks up then. It has
 * no variable by name: the program would put in the environment's.
 */
const STANDBY = ` || case $? in 1) exit 1;; 2) exit 2;; *) echo '${BLOCK_PREFIX} its hook ended without an answer.' >&2; exit 2;; esac`;

function runsUs(command: Json | undefined, program: string): boolean {
  if (typeof command !== "string") return false;
  const [call = ""] = command.split(" || case $? in ", 1);
  return isShellCommand(call, program, HOST);
}
