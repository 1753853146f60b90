import type { HostProgram } from "../program.ts";
import { trust } from "./trusted-folders.ts";

export const program: HostProgram = {
  commands: ["copilot"],
  signs: {
    project: [".github/hooks", ".github/copilot", ".github/copilot-instructions.md"],
    home: [".copilot"],
  },
  transcript: {
    where: "~/.copilot/session-state/<session>/events.jsonl",
    format: "jsonl",
    shape: "one event a line, with type, data, id and parentId; hooks are there as hook.start and hook.end",
  },
  headless: (prompt) => ["-p", prompt, "--allow-all-tools"],
  otherHooks:
    "hooks run one after another, the machine's and the person's before the project's; a denial ends it, and a rewritten call is what the next one sees. Those of .claude/settings.json are called too",
  trust,
  offline: {
    wire: "chat-completions",
    run: ({ modelUrl, prompt, mcpServer, trustAsIs }) => ({
      args: [
        ...["--allow-all-tools", "--allow-all-paths", "--no-auto-update"],
        ...(trustAsIs === false ? ["--trust-folder"] : []),
        ...(mcpServer ? ["--additional-mcp-config", mcpConfig(mcpServer)] : []),
        ...["-p", prompt],
      ],
      env: {
        COPILOT_OFFLINE: "true",
        COPILOT_AUTO_UPDATE: "false",
        COPILOT_PROVIDER_BASE_URL: `${modelUrl}/v1`,
        COPILOT_PROVIDER_API_KEY: "not-a-key",
        COPILOT_MODEL: "scripted",
      },
      seeds: [],
    }),
    says: {
      shell: (command) => ({ name: "bash", input: { command, description: "a step of the script" } }),
      write: (path, content) => ({ name: "create", input: { path, file_text: content } }),
      edit: (path, before, after) => ({ name: "edit", input: { path, old_str: before, new_str: after } }),
      read: (path) => ({ name: "view", input: { path } }),
      mcp: (server, tool, input) => ({ name: `${server}-${tool}`, input }),
      delegate: (prompt) => ({
        name: "task",
        input: { agent_type: "general-purpose", description: "a task", name: "helper", mode: "sync", prompt },
      }),
    },
  },
};

function mcpConfig({ name, command, args }: { name: string; command: string; args: readonly string[] }): string {
  return JSON.stringify({ mcpServers: { [name]: { command, args } } });
}
