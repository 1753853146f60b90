import { isJsonObject, type Json, type JsonObject } from "../../core/json.ts";
import type { InstallTarget } from "../host.ts";
import type { HostProgram, ModelCall, OfflineSetting, Trust } from "../program.ts";
import { valueAt } from "../toml-text.ts";
import { hooksPath, projectTrust, readConfig, userConfig } from "./install.ts";
import { placedIn, statesIn } from "./trust.ts";

export const program: HostProgram = {
  commands: ["codex"],
  signs: { project: [".codex"], home: [".codex"] },
  transcript: {
    where: "~/.codex/sessions/<year>/<month>/<day>/rollout-<time>-<thread>.jsonl",
    format: "jsonl",
    shape: "one {timestamp, ordinal, type, payload} a line; sub-agents have files of their own",
  },
  headless: (prompt) => ["exec", "--skip-git-repo-check", prompt],
  otherHooks: "all hooks run at once; a denial wins, and of several rewrites the last to finish",
  trust,
  ownCheck: {
    args: ["app-server"],
    stdin: [
      { id: 1, method: "initialize", params: { clientInfo: { name: "holdfast", title: "Holdfast", version: "1" } } },
      { method: "initialized" },
      { id: 2, method: "hooks/list", params: {} },
    ]
      .map((message) => `${JSON.stringify(message)}\n`)
      .join(""),
    answered: (stdout) => listedHooks(stdout) !== undefined,
    problems: ({ stdout }) => problemsIn(listedHooks(stdout)),
  },
  offline: {
    wire: "responses",
    run: (setting) => ({
      args: [
        ...["exec", "--skip-git-repo-check", "--json", "--dangerously-bypass-approvals-and-sandbox"],
        ...Object.entries(offlineConfig(setting)).flatMap(([key, value]) => ["-c", `${key}=${value}`]),
        setting.prompt,
      ],
      env: { HOLDFAST_OFFLINE_KEY: "not-a-key" },
      // Trust is in the config.toml of the home: nothing may stand in for it.
      seeds: [],
    }),
    says: {
      shell,
      write: (path, content) => patch(`*** Add File: ${path}`, lines("+", content)),
      edit: (path, before, after) => patch(`*** Update File: ${path}`, "@@", lines("-", before), lines("+", after)),
      read: (path) => shell(`cat '${path}'`),
      mcp: (server, tool, input) => ({ name: tool, input, namespace: `mcp__${server}` }),
      delegate: (message) => ({ name: "spawn_agent", input: { message }, namespace: "multi_agent_v1" }),
      wait: () => shell("sleep 2"),
    },
  },
};

/** What is set by flags, because config.toml holds the trust that is to be proven. */
function offlineConfig({ modelUrl, mcpServer }: OfflineSetting): Readonly<Record<string, string>> {
  const provider = `{name="offline",base_url="${modelUrl}/v1",env_key="HOLDFAST_OFFLINE_KEY",wire_api="responses",request_max_retries=0,stream_max_retries=0}`;
  return {
    // It offers apply_patch only with a model that it knows.
    model: `"gpt-5.5"`,
    model_provider: `"offline"`,
    "model_providers.offline": provider,
    check_for_update_on_startup: "false",
    "analytics.enabled": "false",
    ...Object.fromEntries(OUTSIDE.map((feature) => [`features.${feature}`, "false"])),
    ...(mcpServer
      ? {
          [`mcp_servers.${mcpServer.name}`]: `{command=${JSON.stringify(mcpServer.command)},args=${JSON.stringify(mcpServer.args)}}`,
        }
      : {}),
  };
}

/** Features that reach out of the machine, or cost seconds. */
const OUTSIDE = [
  "plugins",
  "apps",
  "remote_plugin",
  "plugin_discovery_prefetch",
  "daemon_auto_start",
  "api_key_model_discovery",
  "shell_snapshot",
];

function shell(command: string): ModelCall {
  return { name: "exec_command", input: { cmd: command } };
}

function patch(...body: readonly string[]): ModelCall {
  return { name: "apply_patch", input: {}, freeform: ["*** Begin Patch", ...body, "*** End Patch"].join("\n") };
}

const lines = (mark: string, text: string) =>
  text
    .split("\n")
    .map((line) => mark + line)
    .join("\n");

/** From the same computation that grants it: Codex skips what is not trusted, and says nothing in `codex exec`. */
function trust(target: InstallTarget): Trust {
  const file = hooksPath(target);
  const placed = placedIn(target.readFile(file), file, target.program);
  if (placed.length === 0) return untrusted(`${file} does not register Holdfast`, INIT);
  if (target.level === "managed") return { state: "trusted" };
  const path = userConfig(target);
  const config = readConfig(target.readFile(path) ?? "", path);
  if (valueAt(config, ["features", "hooks"]) === false) {
    return untrusted(`${path} turns all hooks off`, "remove hooks = false below [features] there");
  }
  const given = target.level === "user" ? "trusted" : projectTrust(config, target.projectDir);
  if (given !== "trusted") {
    return untrusted(
      `${path} does not say that ${target.projectDir} is trusted, and Codex loads no hooks from there`,
      given === undefined
        ? INIT
        : `set trust_level = "trusted" below [projects.${JSON.stringify(target.projectDir)}] there`,
    );
  }
  const states = statesIn(config.hooks);
  const missing = placed.filter(({ key, hash }) => states[key]?.hash !== hash);
  if (missing.length > 0) {
    return untrusted(`${missing.length} of ${placed.length} hooks of ours in ${file} are not trusted in ${path}`, INIT);
  }
  const disabled = placed.filter(({ key }) => states[key]?.enabled === false);
  if (disabled.length === 0) return { state: "trusted" };
  return untrusted(
    `${disabled.length} of ${placed.length} hooks of ours are switched off in ${path}`,
    "remove enabled = false there",
  );
}

const INIT = "holdfast init --yes --hosts codex, or start codex and choose to review and trust the hooks";

const untrusted = (why: string, fix: string): Trust => ({ state: "untrusted", why, fix });

/** The result of hooks/list, once it is there. */
function listedHooks(stdout: string): readonly JsonObject[] | undefined {
  for (const line of stdout.split("\n")) {
    const message = parsed(line);
    if (!isJsonObject(message) || message.id !== 2) continue;
    const data = isJsonObject(message.result) ? message.result.data : undefined;
    return Array.isArray(data) ? data.filter(isJsonObject) : [];
  }
  return undefined;
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function problemsIn(listed: readonly JsonObject[] | undefined): readonly string[] {
  if (listed === undefined) return ["codex app-server did not answer hooks/list"];
  const all = (field: string) =>
    listed.flatMap((entry) => (Array.isArray(entry[field]) ? (entry[field] as Json[]) : []));
  const ours = all("hooks").filter(
    (hook): hook is JsonObject => isJsonObject(hook) && / hook --host codex$/.test(String(hook.command)),
  );
  const none = ours.length === 0 ? ["Codex lists no hook of ours here: trust the project in Codex first"] : [];
  const unheeded = ours
    .filter(({ trustStatus, enabled }) => !["trusted", "managed"].includes(String(trustStatus)) || enabled === false)
    .map(({ key, trustStatus, enabled }) => `${key} is ${enabled === false ? "switched off" : trustStatus}`);
  return [...none, ...unheeded, ...all("errors").map((error) => JSON.stringify(error))];
}
