/** Copilot's tools under its own names, and under the names of Claude Code that it gives them in PascalCase events. */
import type { JsonObject } from "../../core/json.ts";
import { delegatingTools } from "../delegation.ts";
import { type ToolRow, vocabulary } from "../tool-vocabulary.ts";

/** Where the text of a call stands whose arguments are a text and no object, such as apply_patch. */
export const FREEFORM = "input";

const other: ToolRow = { kind: "other" };
const shell: ToolRow = { kind: "shell", required: ["command"] };
/** Text for a shell that is already running. */
const typing: ToolRow = { kind: "shell", command: "input", required: ["input"] };
const write: ToolRow = { kind: "write", paths: ["path"], content: ["file_text"], required: ["path", "file_text"] };
/** A permission is asked for in other words: `file_path` and a diff. */
const edit: ToolRow = { kind: "edit", paths: ["path", "file_path"], content: ["new_str", "file_text", "diff"] };
const patch: ToolRow = { kind: "edit", patch: FREEFORM, required: [FREEFORM] };
const renaming: ToolRow = { kind: "edit", paths: ["file", "path", "file_path"] };
const read: ToolRow = { kind: "read", paths: ["path"], required: ["path"] };
const search: ToolRow = { kind: "search", paths: ["paths", "path"], required: ["pattern"] };
const fetch: ToolRow = { kind: "fetch" };
const delegate: ToolRow = { kind: "delegate", required: ["description", "prompt", "agent_type"] };

const TOOLS: Readonly<Record<string, ToolRow>> = {
  bash: shell,
  powershell: shell,
  write_bash: typing,
  write_powershell: typing,
  create: write,
  edit,
  str_replace_editor: edit,
  apply_patch: patch,
  view: read,
  show_file: read,
  // Asks a language server; what it renames is an edit.
  lsp: { kind: "other", paths: ["file", "path", "file_path"] },
  grep: search,
  rg: search,
  glob: search,
  web_fetch: fetch,
  web_search: fetch,
  task: delegate,
  ask_user: other,
  code_review: other,
  context_board: other,
  create_pull_request: other,
  exit_plan_mode: other,
  fetch_copilot_cli_documentation: other,
  list_agents: other,
  list_bash: other,
  list_powershell: other,
  parallel_validation: other,
  read_agent: other,
  read_bash: other,
  read_powershell: other,
  report_intent: other,
  send_inbox: other,
  session_store_sql: other,
  skill: other,
  sql: other,
  stop_bash: other,
  stop_powershell: other,
  store_memory: other,
  task_complete: other,
  think: other,
  tool_search: other,
  update_todo: other,
  vote_memory: other,
  write_agent: other,
  Agent: delegate,
  AskUserQuestion: other,
  Bash: shell,
  Edit: edit,
  Glob: search,
  Grep: search,
  Read: read,
  TodoWrite: other,
  WebFetch: fetch,
  WebSearch: fetch,
  Write: write,
};

export const tools = vocabulary({ names: Object.keys(TOOLS), rowOf, mcpNames });

/** `Edit` is three tools: edit, str_replace_editor and apply_patch. */
function rowOf(name: string, input: JsonObject): ToolRow | undefined {
  if (name === "Edit" && typeof input[FREEFORM] === "string") return patch;
  if (name === "str_replace_editor" && input.command === "view") return read;
  if (name === "lsp" && typeof input.operation === "string" && /rename/i.test(input.operation)) return renaming;
  return Object.hasOwn(TOOLS, name) ? TOOLS[name] : undefined;
}

/**
 * A permission names `server/tool`, a call `server-tool`, where either part may have dashes of its own: tools seldom
 * have, servers often. No tool of Copilot's own has one.
 */
function mcpNames(name: string) {
  const [, server, method] = /^([^/]+)\/(.+)$/.exec(name) ?? /^(.+)-([^-]+)$/.exec(name) ?? [];
  return server && method ? { server, method } : undefined;
}

export const delegating = delegatingTools({
  names: ["task", "Agent"],
  target: "agent_type",
  prompt: "prompt",
  title: "description",
  defaultAgent: "general-purpose",
});
