/** Claude Code's tools, as declared by the program itself (sdk-tools.d.ts of 2.1.325), older names included. */
import { delegatingTools } from "../delegation.ts";
import { type ToolRow, vocabulary } from "../tool-vocabulary.ts";

const other: ToolRow = { kind: "other" };

const TOOLS: Readonly<Record<string, ToolRow>> = {
  Bash: { kind: "shell", required: ["command"], background: "run_in_background" },
  PowerShell: { kind: "shell", required: ["command"], background: "run_in_background" },
  Monitor: { kind: "shell" },
  Write: { kind: "write", paths: ["file_path"], content: ["content"], required: ["file_path", "content"] },
  Edit: {
    kind: "edit",
    paths: ["file_path"],
    content: ["new_string"],
    required: ["file_path", "old_string", "new_string"],
  },
  MultiEdit: {
    kind: "edit",
    paths: ["file_path", "edits[].file_path"],
    content: ["edits[].new_string"],
    required: ["file_path"],
  },
  NotebookEdit: {
    kind: "edit",
    paths: ["notebook_path"],
    content: ["new_source"],
    required: ["notebook_path", "new_source"],
  },
  Read: { kind: "read", paths: ["file_path"], required: ["file_path"] },
  NotebookRead: { kind: "read", paths: ["notebook_path"] },
  LSP: { kind: "read", paths: ["filePath", "file_path"] },
  Glob: { kind: "search", paths: ["path"], required: ["pattern"] },
  Grep: { kind: "search", paths: ["path"], required: ["pattern"] },
  LS: { kind: "search", paths: ["path"] },
  WebFetch: { kind: "fetch", required: ["url", "prompt"] },
  WebSearch: { kind: "fetch", required: ["query"] },
  Agent: { kind: "delegate", required: ["description", "prompt"] },
  Task: { kind: "delegate", required: ["description", "prompt"] },
  // Runs a script that starts agents of its own.
  Workflow: { kind: "delegate", paths: ["scriptPath"] },
  Artifact: { kind: "other", paths: ["file_path", "file_paths", "out_dir"] },
  AskUserQuestion: other,
  BashOutput: other,
  CronCreate: other,
  CronDelete: other,
  CronList: other,
  EnterPlanMode: other,
  EnterWorktree: other,
  ExitPlanMode: other,
  ExitWorktree: other,
  KillBash: other,
  KillShell: other,
  ListAgents: other,
  ListMcpResourcesTool: other,
  PushNotification: other,
  ReadMcpResourceDirTool: other,
  ReadMcpResourceTool: other,
  ReadNotifications: other,
  RemoteTrigger: other,
  ReportFindings: other,
  ScheduleWakeup: other,
  SendMessage: other,
  Skill: other,
  SlashCommand: other,
  StructuredOutput: other,
  TaskCreate: other,
  TaskGet: other,
  TaskList: other,
  TaskOutput: other,
  TaskStop: other,
  TaskUpdate: other,
  TeamCreate: other,
  TeamDelete: other,
  TodoRead: other,
  TodoWrite: other,
  ToolSearch: other,
};

export const tools = vocabulary({
  names: Object.keys(TOOLS),
  rowOf(name, input) {
    // Monitor watches a command or a socket.
    if (name === "Monitor" && "ws" in input) return { kind: "fetch" };
    return Object.hasOwn(TOOLS, name) ? TOOLS[name] : undefined;
  },
  mcpNames(name) {
    const [, server, method] = /^mcp__(.+?)__(.+)$/.exec(name) ?? [];
    return server && method ? { server, method } : undefined;
  },
});

export const delegating = delegatingTools({
  names: ["Agent", "Task"],
  target: "subagent_type",
  prompt: "prompt",
  title: "description",
  defaultAgent: "general-purpose",
});
