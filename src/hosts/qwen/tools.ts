/** Qwen Code's tools, as the program declares them (0.24.4), older names included. */
import { delegatingTools } from "../delegation.ts";
import { type ToolRow, vocabulary } from "../tool-vocabulary.ts";

const other: ToolRow = { kind: "other" };
const edit: ToolRow = {
  kind: "edit",
  paths: ["file_path"],
  content: ["new_string"],
  required: ["file_path", "old_string", "new_string"],
};
const search: ToolRow = { kind: "search", paths: ["path"], required: ["pattern"] };
const image: ToolRow = { kind: "read", paths: ["file_path"], required: ["file_path"] };
const agent: ToolRow = { kind: "delegate", required: ["description", "prompt"] };

const TOOLS: Readonly<Record<string, ToolRow>> = {
  run_shell_command: { kind: "shell", required: ["command"] },
  monitor: { kind: "shell", required: ["command"] },
  write_file: { kind: "write", paths: ["file_path"], content: ["content"], required: ["file_path", "content"] },
  edit,
  replace: edit,
  notebook_edit: {
    kind: "edit",
    paths: ["notebook_path"],
    content: ["new_source"],
    required: ["notebook_path", "new_source"],
  },
  read_file: { kind: "read", paths: ["file_path"], required: ["file_path"] },
  zoom_image: image,
  display_image: image,
  lsp: { kind: "read", paths: ["filePath"] },
  glob: search,
  grep_search: search,
  search_file_content: search,
  list_directory: { kind: "search", paths: ["path"], required: ["path"] },
  web_fetch: { kind: "fetch", required: ["url"] },
  web_search: { kind: "fetch", required: ["query"] },
  agent,
  task: agent,
  // Runs a script that starts agents of its own.
  workflow: { kind: "delegate", paths: ["scriptPath"] },
  create_sub_session: { kind: "delegate", required: ["prompt"] },
  artifact: { kind: "other", paths: ["file_path"] },
  record_artifact: { kind: "other", paths: ["workspacePath"] },
  ask_user_question: other,
  cron_create: other,
  cron_delete: other,
  cron_list: other,
  enter_plan_mode: other,
  enter_worktree: other,
  // A program in JavaScript that calls other tools: those calls come as calls of their own.
  exec: other,
  exit_plan_mode: other,
  exit_worktree: other,
  get_goal: other,
  image_gen: other,
  list_agents: other,
  loop_wakeup: other,
  omni_caption_audio: other,
  omni_caption_image: other,
  omni_clip_audio: other,
  omni_clip_image: other,
  omni_clip_video: other,
  omni_convert_image: other,
  omni_downsample_audio: other,
  omni_downsample_image: other,
  omni_downscale_video: other,
  omni_extract_audio: other,
  omni_extract_keyframes: other,
  omni_ocr_image: other,
  omni_recall_media_memory: other,
  omni_transcribe_audio: other,
  omni_understand_video_segments: other,
  propose_goal: other,
  read_mcp_resource: other,
  record_source: other,
  report_findings: other,
  request_shutdown: other,
  save_memory: other,
  send_message: other,
  skill: other,
  structured_output: other,
  task_create: other,
  task_list: other,
  task_stop: other,
  task_update: other,
  team_create: other,
  team_delete: other,
  team_plan_approval: other,
  todo_write: other,
  // Hooks are shown the call that is inside.
  tool_call: other,
  tool_search: other,
  update_goal: other,
};

export const tools = vocabulary({
  names: Object.keys(TOOLS),
  rowOf: (name) => (Object.hasOwn(TOOLS, name) ? TOOLS[name] : undefined),
  mcpNames(name) {
    const [, server, method] = /^mcp__(.+?)__(.+)$/.exec(name) ?? [];
    return server && method ? { server, method } : undefined;
  },
});

export const delegating = delegatingTools({
  names: ["agent", "task"],
  target: "subagent_type",
  prompt: "prompt",
  title: "description",
  defaultAgent: "general-purpose",
});
