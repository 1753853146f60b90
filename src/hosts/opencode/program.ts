import { join } from "node:path";
import { type HostProgram, jsonSeed, type Seed } from "../program.ts";

export const program: HostProgram = {
  commands: ["opencode"],
  signs: { project: [".opencode", "opencode.json", "opencode.jsonc"], home: [".config/opencode", ".opencode"] },
  transcript: {
    where: "~/.local/share/opencode/opencode.db",
    format: "sqlite",
    shape: "tables session, message and part; what was said and done is JSON in the column data",
  },
  headless: (prompt) => ["run", "--format", "json", prompt],
  otherHooks:
    "plugins run one after another, in no order that a person sets; a throw stops the call and the rest, and a plugin after ours can still change a call we judged. --pure and OPENCODE_PURE turn all of them off",
  offline: {
    wire: "chat-completions",
    run: ({ modelUrl, homeDir, prompt, mcpServer }) => ({
      args: ["run", "--format", "json", prompt],
      env: {
        OPENCODE_DISABLE_AUTOUPDATE: "1",
        OPENCODE_DISABLE_MODELS_FETCH: "1",
        OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
        OPENCODE_DISABLE_SHARE: "1",
        // A project's .opencode makes it install a package, and plugins wait for that: nobody listens there.
        npm_config_registry: "http://127.0.0.1:1/",
        npm_config_fetch_retries: "0",
      },
      seeds: [
        jsonSeed(join(homeDir, ".config", "opencode", "opencode.json"), {
          ...{ model: "lab/fake", small_model: "lab/fake", autoupdate: false, share: "disabled" },
          provider: {
            lab: {
              npm: "@ai-sdk/openai-compatible",
              options: { baseURL: `${modelUrl}/v1`, apiKey: "not-a-key" },
              models: { fake: { tool_call: true, limit: { context: 128_000, output: 8_000 } } },
            },
          },
          ...(mcpServer
            ? {
                mcp: {
                  [mcpServer.name]: {
                    ...{ type: "local", enabled: true },
                    command: [mcpServer.command, ...mcpServer.args],
                  },
                },
              }
            : {}),
        }),
        ...installedSeeds(join(homeDir, ".config", "opencode")),
      ],
    }),
    says: {
      shell: (command) => ({ name: "bash", input: { command, description: "a step of the script" } }),
      write: (path, content) => ({ name: "write", input: { filePath: path, content } }),
      edit: (path, before, after) => ({
        name: "edit",
        input: { filePath: path, oldString: before, newString: after },
      }),
      read: (path) => ({ name: "read", input: { filePath: path } }),
      mcp: (server, tool, input) => ({ name: `${server}_${tool}`, input }),
      delegate: (prompt) => ({ name: "task", input: { description: "a task", prompt, subagent_type: "general" } }),
    },
  },
};

/** What it looks at before it installs its plugin package into a folder. */
function installedSeeds(folder: string): Seed[] {
  const dependencies = { "@opencode-ai/plugin": "1.18.18" };
  return [
    jsonSeed(join(folder, "package.json"), { dependencies }),
    jsonSeed(join(folder, "package-lock.json"), { packages: { "": { dependencies } } }),
    { path: join(folder, "node_modules", ".keep"), text: () => "" },
  ];
}
