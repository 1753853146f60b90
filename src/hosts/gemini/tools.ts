/** Gemini CLI's tools, as the program of 0.61.0 declares them, older names included. */
import { delegatingTools } from "../delegation.ts";
import { type ToolRow, vocabulary } from "../tool-vocabulary.ts";

const other: ToolRow = { kind: "other" };
const grep: ToolRow = { kind: "search", paths: ["dir_path"], required: ["pattern"] };

const TOOLS: Readonly<Record<string, ToolRow>> = {
  run_shell_command: { kind: "shell", required: ["command"] },
  write_file: { kind: "write", paths: ["file_path"], content: ["content"], required: ["file_path", "content"] },
  replace: {
    kind: "edit",
    paths: ["file_path"],
    content: ["new_string"],
    required: ["file_path", "old_string", "new_string"],
  },
  read_file: { kind: "read", paths: ["file_path"], required: ["file_path"] },
  read_many_files: { kind: "read", paths: ["include"] },
  list_directory: { kind: "search", paths: ["dir_path"], required: ["dir_path"] },
  glob: { kind: "search", paths: ["dir_path"], required: ["pattern"] },
  grep_search: grep,
  search_file_content: grep,
  web_fetch: { kind: "fetch" },
  google_web_search: { kind: "fetch", required: ["query"] },
  invoke_agent: { kind: "delegate", required: ["agent_name", "prompt"] },
  activate_skill: other,
  ask_user: other,
  complete_task: other,
  enter_plan_mode: other,
  exit_plan_mode: other,
  // Its path is one of the program's own documents.
  get_internal_docs: { kind: "other", paths: [] },
  list_background_processes: other,
  list_mcp_resources: other,
  read_background_output: other,
  read_mcp_resource: other,
  tracker_add_dependency: other,
  tracker_create_task: other,
  tracker_get_task: other,
  tracker_list_tasks: other,
  tracker_update_task: other,
  tracker_visualize: other,
  update_topic: other,
  write_todos: other,
};

/** Before the names of tools that a command of the person's settings offers. */
const DISCOVERED = "discovered_tool_";

export const tools = vocabulary({
  names: Object.keys(TOOLS),
  rowOf(name) {
    if (name.startsWith(DISCOVERED)) return other;
    return Object.hasOwn(TOOLS, name) ? TOOLS[name] : undefined;
  },
  // A server's name ends at the first underscore, as the program itself reads it.
  mcpNames(name) {
    const [, server, method] = /^mcp_([^_]+)_(.+)$/s.exec(name) ?? [];
    return server && method ? { server, method } : undefined;
  },
});

export const delegating = delegatingTools({
  names: ["invoke_agent"],
  target: "agent_name",
  prompt: "prompt",
  defaultAgent: "generalist",
});
