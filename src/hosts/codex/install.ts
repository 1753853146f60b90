/** Codex's hooks.json, its MCP servers, and the trust without which it skips a hook and says nothing. */
import { join } from "node:path";
import type { TomlTable } from "smol-toml";
import { HoldfastError } from "../../core/errors.ts";
import { isJsonObject, type Json } from "../../core/json.ts";
import { handlersOf, hookGroups } from "../hook-groups.ts";
import type { FileEdit, Install, InstallTarget } from "../host.ts";
import { MCP_SERVER_NAME, mcpServerEntry } from "../mcp-servers-file.ts";
import { nativeEvents } from "../native-events.ts";
import { type Registration, type SettingsFile, withoutRegistrations, withRegistrations } from "../settings-file.ts";
import { isTable, readToml, valueAt, withoutTables, withTables } from "../toml-text.ts";
import { closedCommand, openCommand } from "./closed-command.ts";
import { support } from "./support.ts";
import { isOurs, type PlacedHook, placedHooks, placedIn, statesIn, trustedHash } from "./trust.ts";

export const install: Install = {
  edits(target) {
    const server = target.level === "project" || target.level === "local" ? [mcpServer(target)] : [];
    return [hooksFile(target), ...server.filter(({ path }) => path !== userConfig(target))];
  },
  // What an administrator registers, Codex runs without asking.
  consents: (target) => (target.level === "managed" ? [] : [trustOfHooks(target)]),
};

/** The directory of the layer. */
export function layerDir({ level, projectDir, homeDir, env }: InstallTarget): string {
  if (level === "managed") return "/etc/codex";
  return level === "user" ? env.CODEX_HOME || join(homeDir, ".codex") : join(projectDir, ".codex");
}

export const hooksPath = (target: InstallTarget): string => join(layerDir(target), "hooks.json");

export const userConfig = (target: InstallTarget): string =>
  join(layerDir({ ...target, level: "user" }), "config.toml");

function hooksFile(target: InstallTarget): FileEdit {
  const { program, readFile } = target;
  const path = hooksPath(target);
  const file: SettingsFile = {
    path,
    reader: "Codex",
    registrations: registrations(program),
    ...hookGroups((handler) => isOurs(handler, program)),
  };
  return {
    path,
    add(text) {
      const config = join(layerDir(target), "config.toml");
      assertOnePlace(path, config, readFile(config));
      const added = withRegistrations(text, file);
      assertReadable(path, added);
      return added;
    },
    remove: (text) => withoutRegistrations(text, file),
  };
}

/** One per native event of the support table. */
function registrations(program: string): Registration[] {
  return nativeEvents(support).map(({ event, timeoutMs, blocksOnCrash }) => {
    const part = {
      type: "command",
      command: blocksOnCrash ? closedCommand(program) : openCommand(program),
      timeout: timeoutMs / 1000,
    };
    return { event, part, entry: { hooks: [part] } };
  });
}

/** Codex takes hooks of one layer from one file only (N-5). */
function assertOnePlace(path: string, config: string, text: string | undefined): void {
  const hooks = text === undefined ? undefined : readConfig(text, config).hooks;
  const events = isTable(hooks) ? Object.keys(hooks).filter((key) => key !== "state") : [];
  if (events.length === 0) return;
  throw new HoldfastError(
    "HF401",
    `${config} has hooks of its own (${events.join(", ")}), beside which ${path} must not be`,
    {
      file: config,
      hint: `move them into ${path}, then run it again`,
    },
  );
}

/** One handler of this kind, and Codex drops the whole file. */
function assertReadable(path: string, text: string): void {
  const { hooks } = JSON.parse(text.replace(/^\uFEFF/, "")) as { hooks: Record<string, Json> };
  const handlers = Object.values(hooks).flatMap((groups) => (Array.isArray(groups) ? groups.flatMap(handlersOf) : []));
  if (!handlers.some((handler) => isJsonObject(handler) && handler.type === "http")) return;
  throw new HoldfastError(
    "HF401",
    `${path} has a hook of the type "http", and Codex drops a file with one: remove it`,
    {
      file: path,
    },
  );
}

function mcpServer(target: InstallTarget): FileEdit {
  const path = join(layerDir(target), "config.toml");
  const place = ["mcp_servers", MCP_SERVER_NAME];
  const fields = mcpServerEntry(target.program);
  const serverIn = (text: string) => valueAt(readConfig(text, path), place);
  const mine = (server: unknown) => isTable(server) && JSON.stringify(server.args) === JSON.stringify(fields.args);
  return {
    path,
    role: "mcp",
    add(text) {
      const server = text === undefined ? undefined : serverIn(text);
      if (server !== undefined && !mine(server)) {
        throw new HoldfastError("HF401", `${path} has a server named ${MCP_SERVER_NAME} that is not ours: rename it`, {
          file: path,
        });
      }
      return changed(path, () => withTables(text, [{ path: place, fields }]));
    },
    remove: (text) =>
      mine(serverIn(text)) ? withoutTables(text, [{ path: place, fields: Object.keys(fields) }]) : text,
  };
}

/** In the person's own config.toml: for every hook of ours the hash of what it runs, and that the project may have hooks at all. */
function trustOfHooks(target: InstallTarget): FileEdit {
  const { program, readFile, level, projectDir } = target;
  const file = hooksPath(target);
  const path = userConfig(target);
  const hashes = registrations(program).map(({ event, part }) => trustedHash(event, undefined, part));
  const project = { path: ["projects", projectDir], mark: "by holdfast init" };
  /** Also where we once stood: a place that is somebody else's now must not keep our hash. */
  const oursIn = (text: string, placed: readonly PlacedHook[]) =>
    Object.entries(statesIn(readConfig(text, path).hooks))
      .filter(([key]) => key.startsWith(`${file}:`))
      .filter(([key, { hash = "" }]) => placed.some((hook) => hook.key === key) || hashes.includes(hash))
      .map(([key]) => key);
  const asFields = (keys: readonly string[]) => keys.map((key) => ({ path: statePath(key), fields: ["trusted_hash"] }));
  return {
    path,
    add(text) {
      const placed = placedHooks(hooksFile(target).add(readFile(file)), file, program);
      const wanted = placed.map(({ key, hash }) => ({ path: statePath(key), fields: { trusted_hash: hash } }));
      const stale = oursIn(text ?? "", placed).filter((key) => !placed.some((hook) => hook.key === key));
      // Who said that it is not to be trusted is not overruled.
      const asked = level !== "user" && projectTrust(readConfig(text ?? "", path), projectDir) === undefined;
      const trusted = asked ? [{ ...project, fields: { trust_level: "trusted" } }] : [];
      return changed(path, () => withTables(text && withoutTables(text, asFields(stale)), [...trusted, ...wanted]));
    },
    remove(text) {
      const states = asFields(oursIn(text, placedIn(readFile(file), file, program)));
      return withoutTables(text, [...(level === "user" ? [] : [{ ...project, fields: ["trust_level"] }]), ...states]);
    },
  };
}

/** What the person has said of a project; Codex loads hooks only from one that is "trusted", and says nothing in `codex exec`. */
export const projectTrust = (config: TomlTable, projectDir: string): unknown =>
  valueAt(config, ["projects", projectDir, "trust_level"]);

const statePath = (key: string) => ["hooks", "state", key];

export function readConfig(text: string, path: string) {
  return changed(path, () => readToml(text));
}

function changed<T>(path: string, change: () => T): T {
  try {
    return change();
  } catch (error) {
    throw new HoldfastError("HF401", `${path} cannot be changed: ${(error as Error).message.split("\n")[0]}`, {
      file: path,
    });
  }
}
