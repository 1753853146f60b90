/** Kiro's tools: the CLI's names of 2.x, their aliases, and those of CLI 3 and the IDE. Documented, not recorded. */
import type { JsonObject } from "../../core/json.ts";
import { type ToolRow, vocabulary } from "../tool-vocabulary.ts";

const other: ToolRow = { kind: "other" };
const shell: ToolRow = { kind: "shell", required: ["command"] };
/** Starts a command or stops one. */
const control: ToolRow = { kind: "shell" };
const PATHS = ["path", "filePath", "file_path", "targetFile"];
const read: ToolRow = { kind: "read", paths: ["operations[].path", "operations[].image_paths", ...PATHS, "paths"] };
const search: ToolRow = { kind: "search", paths: ["path"] };
const fetch: ToolRow = { kind: "fetch" };
const delegate: ToolRow = { kind: "delegate" };
const write: ToolRow = { kind: "write", paths: PATHS, content: ["file_text", "content", "text", "new_str", "newStr"] };
const edit: ToolRow = { ...write, kind: "edit" };

/** By the name in snake_case; the IDE has spelled the same tools in camelCase. */
const TOOLS: Readonly<Record<string, ToolRow>> = {
  shell,
  execute_bash: shell,
  execute_cmd: shell,
  execute_command: shell,
  execute_pwsh: shell,
  control_bash_process: control,
  control_pwsh_process: control,
  write,
  fs_write: write,
  create_file: write,
  write_file: write,
  str_replace: edit,
  fs_append: edit,
  edit_file: edit,
  edit_code: edit,
  delete_file: edit,
  apply_patch: { kind: "edit" },
  semantic_rename: edit,
  smart_relocate: { kind: "edit", paths: ["sourcePath", "destinationPath", ...PATHS] },
  read,
  fs_read: read,
  read_code: read,
  read_file: read,
  read_files: read,
  read_multiple_files: read,
  get_diagnostics: read,
  // Looks symbols up; what it rewrites is an edit.
  code: { kind: "other", paths: ["file_path", "path", "filePath"] },
  glob: search,
  grep: search,
  file_search: search,
  grep_search: search,
  list_directory: search,
  web_fetch: fetch,
  web_search: fetch,
  remote_web_search: fetch,
  delegate,
  invoke_sub_agent: delegate,
  orchestrate_subagent: delegate,
  subagent: delegate,
  use_subagent: delegate,
  aws: other,
  disclose_context: other,
  dummy: other,
  gh_issue: other,
  introspect: other,
  knowledge: other,
  memory: other,
  report: other,
  report_issue: other,
  session: other,
  subagent_response: other,
  summary: other,
  task_list: other,
  thinking: other,
  todo: other,
  todo_list: other,
  tool_search: other,
  use_aws: other,
};

const camelCased = (name: string) => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

export const tools = vocabulary({
  names: [...new Set(Object.keys(TOOLS).flatMap((name) => [name, camelCased(name)]))],
  rowOf,
  mcpNames,
});

const REWRITES = /rewrite|rename|replace/i;

function rowOf(name: string, input: JsonObject): ToolRow | undefined {
  const spelled = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const row = Object.hasOwn(TOOLS, spelled) ? TOOLS[spelled] : undefined;
  // One tool creates and edits; which, it is told by a field that the shell uses for something else.
  if (spelled === "code" && typeof input.operation === "string" && REWRITES.test(input.operation)) return edit;
  if (row?.kind === "write" && typeof input.command === "string" && input.command !== "create") return edit;
  return row ?? (/^subagent_./.test(spelled) ? delegate : undefined);
}

function mcpNames(name: string) {
  const [, server, method] = /^@([^/]+)\/(.+)$/.exec(name) ?? /^mcp__(.+?)__(.+)$/.exec(name) ?? [];
  return server && method ? { server, method } : undefined;
}
