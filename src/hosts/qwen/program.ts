import { join } from "node:path";
import { type HostProgram, jsonSeed } from "../program.ts";
import { trust } from "./trust.ts";

export const program: HostProgram = {
  commands: ["qwen"],
  signs: { project: [".qwen", "QWEN.md"], home: [".qwen"] },
  transcript: {
    where: "~/.qwen/projects/<directory with - for />/chats/<session>.jsonl",
    format: "jsonl",
    shape:
      "one message or bookkeeping entry a line, chained by uuid and parentUuid; sub-agents in subagents/<session>/ beside chats/",
  },
  headless: (prompt) => ["-p", prompt, "--output-format", "json"],
  otherHooks:
    "all hooks run at once, equal commands only once; of several permissionDecisions the one registered last counts, in the order project, user, system, extensions: another hook's allow does not take our block back, but a hook of yours may lose its deny to another's allow. If one takes longer than 60 s, the call runs",
  trust,
  offline: {
    wire: "chat-completions",
    nodeMajor: 22,
    run: ({ modelUrl, homeDir, prompt, mcpServer }) => ({
      args: ["--approval-mode", "yolo", "--output-format", "json", "-p", prompt],
      env: {
        OPENAI_API_KEY: "not-a-key",
        OPENAI_BASE_URL: `${modelUrl}/v1`,
        OPENAI_MODEL: "scripted",
        QWEN_CODE_SUPPRESS_YOLO_WARNING: "1",
      },
      seeds: [
        jsonSeed(join(homeDir, ".qwen", "settings.json"), {
          general: { enableAutoUpdate: false },
          // Otherwise it asks the model once more, after the last turn, what to remember.
          memory: { enableManagedAutoMemory: false },
          privacy: { usageStatisticsEnabled: false },
          security: { auth: { selectedType: "openai" } },
          telemetry: { enabled: false },
          ...(mcpServer
            ? { mcpServers: { [mcpServer.name]: { command: mcpServer.command, args: mcpServer.args } } }
            : {}),
        }),
      ],
    }),
    says: {
      shell: (command) => ({ name: "run_shell_command", input: { command, is_background: false } }),
      write: (path, content) => ({ name: "write_file", input: { file_path: path, content } }),
      edit: (path, before, after) => ({
        name: "edit",
        input: { file_path: path, old_string: before, new_string: after },
      }),
      read: (path) => ({ name: "read_file", input: { file_path: path } }),
      mcp: (server, tool, input) => ({ name: `mcp__${server}__${tool}`, input }),
      delegate: (prompt) => ({
        name: "agent",
        input: { description: "a task", prompt, subagent_type: "general-purpose" },
      }),
    },
  },
};
