/**
 * Kiro: a hooks file of our own for CLI 3 and the IDE, and the hooks of every agent file for CLI 2.x. CLI 2.x does not
 * read the former; whether CLI 3 still runs the latter, its documentation says both ways, and `kiro-cli agent migrate`
 * turns them into hooks files. So theirs carry the event's old name, by which a second call is told (host.ts).
 */
import { join } from "node:path";
import { HoldfastError } from "../../core/errors.ts";
import { eventRow } from "../../core/event.ts";
import { isJsonObject, type Json } from "../../core/json.ts";
import { isShellCommand, shellCommand } from "../hook-command.ts";
import { type FileEdit, type Install, type InstallTarget, noSuchLevel, type SupportRow, supportRows } from "../host.ts";
import { mcpServersEdit } from "../mcp-servers-file.ts";
import { ownFileEdit } from "../own-file.ts";
import { type Registration, type SettingsFile, withoutRegistrations, withRegistrations } from "../settings-file.ts";
import { support } from "./support.ts";

const HOST = "kiro";

export const install: Install = {
  edits(target) {
    if (target.level === "managed") throw noSuchLevel("Kiro", target.level);
    // This checkout only: Kiro has no such files, and the project's take their place.
    const directory = join(target.level === "user" ? target.homeDir : target.projectDir, ".kiro");
    const agents = join(directory, "agents");
    const agentFiles = target.listFiles(agents).filter((name) => name.endsWith(".json"));
    return [
      hooksFile(join(directory, "hooks", "holdfast.json"), target),
      ...[...agentFiles].sort().map((name) => agentFile(join(agents, name), target)),
      mcpServersEdit(join(directory, "settings", "mcp.json"), target.program),
    ];
  },
};

function hooksFile(path: string, { program }: InstallTarget): FileEdit {
  const text = `${JSON.stringify({ version: "v1", hooks: registrations("PascalCase").map(standalone) }, null, 2)}\n`;
  return ownFileEdit({ path, text, isOurs: (existing) => isOurFile(existing, program) });

  function standalone({ event, row }: NativeRow) {
    return {
      name: `holdfast-${event}`,
      trigger: event,
      ...(eventRow(row.event).tool ? { matcher: ".*" } : {}),
      action: { type: "command", command: shellCommand(program, HOST) },
      timeout: row.timeoutMs / 1000,
      enabled: true,
    };
  }
}

function isOurFile(text: string, program: string): boolean {
  let file: unknown;
  try {
    file = JSON.parse(text);
  } catch {
    return false;
  }
  const hooks = isJsonObject(file) && Array.isArray(file.hooks) ? file.hooks : [];
  return hooks.length > 0 && hooks.every((hook) => isJsonObject(hook) && runsUs(hook.action ?? null, program));
}

function agentFile(path: string, target: InstallTarget): FileEdit {
  const file: SettingsFile = {
    path,
    reader: "Kiro",
    registrations: registrations("camelCase").map((native) => embedded(native, target.program)),
    ours: (entry) => (runsUs(entry, target.program) ? [[]] : []),
    covers: () => true,
  };
  return {
    path,
    add(text) {
      if (text !== undefined) return withRegistrations(text, file);
      throw new HoldfastError("HF401", `${path} is gone: a Kiro agent cannot be made up of hooks alone`, {
        file: path,
      });
    },
    remove: (text) => withoutRegistrations(text, file),
  };
}

function embedded({ event, row }: NativeRow, program: string): Registration {
  const matcher = eventRow(row.event).tool ? { matcher: "*" } : {};
  const entry = { ...matcher, command: shellCommand(program, HOST, event), timeout_ms: row.timeoutMs };
  return { event, entry, part: entry };
}

interface NativeRow {
  readonly event: string;
  readonly row: SupportRow;
}

/** The support table lists both spellings of each event: each kind of file takes its own. */
function registrations(spelling: "camelCase" | "PascalCase"): NativeRow[] {
  const spelled = spelling === "PascalCase" ? /^[A-Z]/ : /^[a-z]/;
  return supportRows(support).flatMap((row) =>
    row.native.filter((event) => spelled.test(event)).map((event) => ({ event, row })),
  );
}

const runsUs = (entry: Json, program: string) =>
  isJsonObject(entry) && typeof entry.command === "string" && isShellCommand(entry.command, program, HOST);
