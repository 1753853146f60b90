import { join } from "node:path";
import { type HostProgram, jsonSeed } from "../program.ts";
import { trust } from "./trust.ts";

export const program: HostProgram = {
  commands: ["gemini"],
  signs: { project: [".gemini", "GEMINI.md"], home: [".gemini"] },
  transcript: {
    where: "~/.gemini/tmp/<project>/chats/session-<time>-<session>.jsonl",
    format: "jsonl",
    shape: "a header, then one message a line; a line with $set changes fields of the header",
  },
  headless: (prompt) => ["-p", prompt, "--output-format", "json"],
  otherHooks: "all hooks run at once; a denial wins, and of several rewrites the one registered last",
  trust,
  offline: {
    wire: "gemini",
    run: ({ modelUrl, homeDir, prompt, mcpServer, trustAsIs }) => ({
      // Without --yolo the model is offered neither a shell nor a way to write.
      args: ["--yolo", "-m", "gemini-2.5-flash", "--output-format", "json", "-p", prompt],
      env: {
        GEMINI_API_KEY: "not-a-key",
        GOOGLE_GEMINI_BASE_URL: modelUrl,
        // Saves a second start of the program.
        GEMINI_CLI_NO_RELAUNCH: "true",
        ...(trustAsIs ? {} : { GEMINI_CLI_TRUST_WORKSPACE: "true" }),
      },
      seeds: [
        jsonSeed(join(homeDir, ".gemini", "settings.json"), {
          general: { enableAutoUpdate: false },
          security: { auth: { selectedType: "gemini-api-key" } },
          telemetry: { enabled: false },
          privacy: { usageStatisticsEnabled: false },
          ...(mcpServer
            ? { mcpServers: { [mcpServer.name]: { command: mcpServer.command, args: mcpServer.args } } }
            : {}),
        }),
      ],
    }),
    says: {
      shell: (command) => ({ name: "run_shell_command", input: { command } }),
      write: (path, content) => ({ name: "write_file", input: { file_path: path, content } }),
      edit: (path, before, after) => ({
        name: "replace",
        input: { file_path: path, instruction: "a step of the script", old_string: before, new_string: after },
      }),
      read: (path) => ({ name: "read_file", input: { file_path: path } }),
      mcp: (server, tool, input) => ({ name: `mcp_${server}_${tool}`, input }),
      delegate: (prompt) => ({ name: "invoke_agent", input: { agent_name: "generalist", prompt } }),
      endOfTask: (text) => ({ name: "complete_task", input: { result: { response: text } } }),
    },
  },
};
