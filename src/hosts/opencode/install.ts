/** OpenCode loads every file of its plugin folders: https://opencode.ai/docs/plugins */
import { join } from "node:path";
import { type ParseError, parse } from "jsonc-parser";
import { HoldfastError } from "../../core/errors.ts";
import { isJsonObject, type JsonObject, sameJson } from "../../core/json.ts";
import { type FileEdit, type Install, type InstallTarget, noSuchLevel } from "../host.ts";
import { appendTo, removeAt, replaceAt } from "../json-text.ts";
import { MCP_SERVER_NAME } from "../mcp-servers-file.ts";

export const install: Install = {
  edits: (target) => [pluginEdit(target), ...(target.level === "project" ? serverEdits(target) : [])],
};

function pluginEdit(target: InstallTarget): FileEdit {
  const path = join(pluginFolder(target), "holdfast.js");
  return {
    path,
    add(text) {
      if (text === undefined || isOurs(text)) return shim(target.plugin);
      throw new HoldfastError("HF401", `${path} is not ours: rename it`, { file: path });
    },
    remove: (text) => (isOurs(text) ? undefined : text),
  };
}

function pluginFolder({ level, projectDir, homeDir, env }: InstallTarget): string {
  if (level === "managed") throw noSuchLevel("OpenCode", level);
  if (level !== "user") return join(projectDir, ".opencode", "plugins");
  const config = env.OPENCODE_CONFIG_DIR || join(env.XDG_CONFIG_HOME || join(homeDir, ".config"), "opencode");
  return join(config, "plugins");
}

const FIRST_LINE = "// Written by holdfast init; holdfast uninstall removes it.";
const isOurs = (text: string) => text.startsWith(FIRST_LINE);

/** OpenCode skips a plugin that does not load without a word and runs every tool: this one loads whatever happens. */
const shim = (plugin: string) => `${FIRST_LINE}
import { createRequire } from "node:module";

const file = ${JSON.stringify(plugin)};

export const Holdfast = async (context) => {
  try {
    const hooks = await createRequire(import.meta.url)(file).pluginFor("opencode")(context);
    if (typeof hooks !== "object" || hooks === null) throw new Error("it is not a plugin");
    return hooks;
  } catch (error) {
    const closed = async () => {
      throw new Error(
        \`Blocked by holdfast: \${file} cannot be loaded, so no rule can be checked (\${error}). \` +
          "Stop and tell the person: holdfast init registers it anew, holdfast uninstall takes it out.",
      );
    };
    return { "tool.execute.before": closed };
  }
};
`;

/** Only where the project has such a file: none is made for a server. */
function serverEdits({ projectDir, program, readFile }: InstallTarget): FileEdit[] {
  const path = ["opencode.json", "opencode.jsonc"]
    .map((name) => join(projectDir, name))
    .find((candidate) => readFile(candidate) !== undefined);
  return path === undefined ? [] : [serverEdit(path, program)];
}

const PLACE = ["mcp", MCP_SERVER_NAME];

function serverEdit(path: string, program: string): FileEdit {
  const entry: JsonObject = { type: "local", command: [program, "mcp"], enabled: true };
  return {
    path,
    role: "mcp",
    add(text) {
      if (text === undefined) throw problem(path, "is gone: run it again");
      const servers = serversOf(text, path);
      if (servers === undefined) return appendTo(text, [], { [MCP_SERVER_NAME]: entry }, "mcp");
      const ours = servers[MCP_SERVER_NAME];
      if (ours === undefined) return appendTo(text, ["mcp"], entry, MCP_SERVER_NAME);
      if (!isServer(ours)) throw problem(path, `has a server named ${MCP_SERVER_NAME} that is not ours: rename it`);
      return sameJson(ours, entry) ? text : replaceAt(text, PLACE, entry);
    },
    remove(text) {
      const servers = serversOf(text, path);
      return servers && isServer(servers[MCP_SERVER_NAME]) ? removeAt(text, PLACE) : text;
    },
  };
}

const isServer = (server: unknown) =>
  isJsonObject(server) && Array.isArray(server.command) && server.command.length === 2 && server.command[1] === "mcp";

function serversOf(text: string, path: string): JsonObject | undefined {
  const errors: ParseError[] = [];
  const settings: unknown = parse(text, errors, { allowTrailingComma: true });
  if (errors.length > 0 || !isJsonObject(settings)) throw problem(path, "does not hold a JSON object");
  const { mcp } = settings;
  if (mcp !== undefined && !isJsonObject(mcp)) throw problem(path, 'has "mcp" that is not an object');
  return mcp;
}

const problem = (path: string, what: string) => new HoldfastError("HF401", `${path} ${what}`, { file: path });
