/** The settings file of Gemini CLI and of Qwen Code, which began as a copy of it: hooks and MCP servers in one. */
import { isJsonObject, type Json, type JsonObject } from "../core/json.ts";
import { shellCommand } from "./hook-command.ts";
import { hookGroups } from "./hook-groups.ts";
import type { FileEdit, InstallTarget, Support } from "./host.ts";
import { type NativeEvent, nativeEvents } from "./native-events.ts";
import { type Registration, type SettingsFile, settingsEdit } from "./settings-file.ts";
import { isStandbyCommand, standbyCommand } from "./standby-command.ts";

export interface GeminiSettings {
  /** As in `--host`. */
  readonly host: string;
  readonly reader: string;
  readonly support: Support;
  settingsPath(target: InstallTarget): string;
  /** Exit codes besides 0 by which we answer. */
  readonly answers: readonly number[];
  handler(command: string, timeoutMs: number): JsonObject;
  /** The MCP server in a file of that path. */
  serverEdit(path: string, program: string): FileEdit;
}

export function geminiSettingsEdit(settings: GeminiSettings, target: InstallTarget): FileEdit {
  const file = settingsFile(settings, target);
  const hooks = settingsEdit(file);
  if (target.level === "user" || target.level === "managed") return hooks;
  return both(hooks, settings.serverEdit(file.path, target.program));
}

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

function settingsFile(settings: GeminiSettings, target: InstallTarget): SettingsFile {
  const { host, reader, support, settingsPath } = settings;
  const { program } = target;
  const isOurs = (hook: Json) =>
    isJsonObject(hook) &&
    hook.type === "command" &&
    typeof hook.command === "string" &&
    isStandbyCommand(hook.command, program, host);
  return {
    path: settingsPath(target),
    reader,
    comments: "kept",
    registrations: nativeEvents(support).map((native) => registration(settings, native, program)),
    ...hookGroups(isOurs),
  };
}

function registration(
  { host, answers, handler }: GeminiSettings,
  { event, timeoutMs, blocksOnCrash, ofTools }: NativeEvent,
  program: string,
): Registration {
  const command = blocksOnCrash ? standbyCommand(program, host, answers) : shellCommand(program, host);
  const part = handler(command, timeoutMs);
  return { event, part, entry: { ...(ofTools ? { matcher: "*" } : {}), hooks: [part] } };
}
