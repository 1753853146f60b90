/** Qwen Code's settings files, which hold hooks and MCP servers alike: bundled/qc-helper/docs/features/hooks.md. */
import { eventRow } from "../../core/event.ts";
import { isJsonObject, type Json } from "../../core/json.ts";
import { BLOCK_PREFIX } from "../answer-text.ts";
import { isShellCommand, shellCommand } from "../hook-command.ts";
import { type FileEdit, type Install, type InstallTarget, type SupportRow, supportRows } from "../host.ts";
import { mcpServersEdit } from "../mcp-servers-file.ts";
import { type Registration, type SettingsFile, withoutRegistrations, withRegistrations } from "../settings-file.ts";
import { settingsPath } from "./places.ts";
import { support } from "./support.ts";
import { needsConsent, trustEdit } from "./trusted-folders.ts";

const HOST = "qwen";

export const install: Install = {
  edits(target) {
    const file = settingsFile(target);
    const hooks: FileEdit = {
      path: file.path,
      add: (text) => withRegistrations(text, file),
      remove: (text) => withoutRegistrations(text, file),
    };
    if (target.level === "user" || target.level === "managed") return [hooks];
    return [both(hooks, mcpServersEdit(file.path, target.program, "kept"))];
  },
  consents: (target) => (needsConsent(target) ? [trustEdit(target)] : []),
};

/** Two changes of one file, taken back in the opposite order. Its byte order mark is neither's. */
function both(first: FileEdit, second: FileEdit): FileEdit {
  return {
    path: first.path,
    add: (text) => unmarked(first.add(text), second.add),
    remove(text) {
      const left = unmarked(text, (body) => second.remove(body) ?? "");
      return left === "" ? undefined : first.remove(left);
    },
  };
}

function unmarked(text: string, change: (body: string) => string): string {
  const mark = text.startsWith("\uFEFF") ? "\uFEFF" : "";
  return mark + change(text.slice(mark.length));
}

function settingsFile(target: InstallTarget): SettingsFile {
  const isOurs = (hook: Json) => isJsonObject(hook) && hook.type === "command" && runsUs(hook.command, target.program);
  return {
    path: settingsPath(target),
    reader: "Qwen Code",
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
    type: "command",
    command: shellCommand(program, HOST) + (blocks ? STANDBY : ""),
    // In seconds; from 1,000 on it would be taken for milliseconds.
    timeout: Math.max(...rows.map((row) => row.timeoutMs)) / 1000,
  };
  const matcher = rows.some((row) => eventRow(row.event).tool) ? { matcher: "*" } : {};
  return { event, part, entry: { ...matcher, hooks: [part] } };
}

/**
 * Qwen Code lets a call run whose hook is missing, was killed or failed: the shell between the two speaks up then. What
 * we answer here ends with 0 or 2. No variable has a name: the program would put in the environment's.
 */
const STANDBY = ` || case $? in 2) exit 2;; *) echo '${BLOCK_PREFIX} its hook ended without an answer.' >&2; exit 2;; esac`;

function runsUs(command: Json | undefined, program: string): boolean {
  if (typeof command !== "string") return false;
  const [call = ""] = command.split(" || case $? in ", 1);
  return isShellCommand(call, program, HOST);
}
