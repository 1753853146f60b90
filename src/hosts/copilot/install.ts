/** Copilot: a hooks file of our own among those of the project, the person or the machine. */
import { join } from "node:path";
import { isJsonObject, type Json } from "../../core/json.ts";
import { isShellCommand, shellCommand } from "../hook-command.ts";
import { type FileEdit, type Install, type InstallTarget, type Level, noSuchLevel } from "../host.ts";
import { mcpServersEdit } from "../mcp-servers-file.ts";
import { nativeEvents } from "../native-events.ts";
import { ownFileEdit } from "../own-file.ts";
import { registeredName } from "./dialect.ts";
import { support } from "./support.ts";
import { copilotHome, trustEdit } from "./trusted-folders.ts";

const HOST = "copilot";

export const install: Install = {
  edits: (target) => [
    hooksFile(join(hooksDirectory(target), "holdfast.json"), target.program),
    ...(target.level === "project" ? mcpEdits(target) : []),
  ],
  /** Hooks of a folder that is not trusted are passed over without a word; those of a person or a machine never are. */
  consents: (target) => (ofProject(target.level) ? [trustEdit(target)] : []),
};

const ofProject = (level: Level) => level === "project" || level === "local";

/** Local is the project's: every file of a project's hooks is called, so that two of ours would judge twice. */
function hooksDirectory(target: InstallTarget): string {
  if (ofProject(target.level)) return join(target.projectDir, ".github", "hooks");
  if (target.level === "user") return join(copilotHome(target), "hooks");
  if (process.platform === "linux") return POLICY_DIRECTORY;
  throw noSuchLevel("GitHub Copilot CLI on this system", target.level);
}

const POLICY_DIRECTORY = "/etc/github-copilot/policy.d";

function hooksFile(path: string, program: string): FileEdit {
  const text = `${JSON.stringify({ version: 1, hooks: Object.fromEntries(registrations(program)) }, null, 2)}\n`;
  return ownFileEdit({ path, text, isOurs: (existing) => isOurFile(existing, program) });
}

/** Under the names of the camelCase dialect, whose payloads do not say which event they are of. */
function registrations(program: string): [string, Json][] {
  return nativeEvents(support)
    .filter(({ event }) => registeredName(event) === event)
    .map(({ event, timeoutMs }) => {
      const bash = shellCommand(program, HOST, event);
      return [event, [{ type: "command", bash, timeoutSec: timeoutMs / 1000 }]];
    });
}

function isOurFile(text: string, program: string): boolean {
  let file: unknown;
  try {
    file = JSON.parse(text);
  } catch {
    return false;
  }
  const hooks = isJsonObject(file) && isJsonObject(file.hooks) ? Object.values(file.hooks).flat() : [];
  return hooks.length > 0 && hooks.every((hook) => runsUs(hook, program));
}

const runsUs = (hook: Json, program: string) =>
  isJsonObject(hook) && typeof hook.bash === "string" && isShellCommand(hook.bash, program, HOST);

/** Where a project has a .mcp.json, Copilot does not look at .github/mcp.json: none is made where there was none. */
function mcpEdits({ projectDir, program, readFile }: InstallTarget): FileEdit[] {
  const shared = join(projectDir, ".mcp.json");
  return [join(projectDir, ".github", "mcp.json"), ...(readFile(shared) === undefined ? [] : [shared])].map((path) =>
    mcpServersEdit(path, program),
  );
}
