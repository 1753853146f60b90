/**
 * Cursor's tools as its hooks name them: the documented ones, and those others saw or read in cursor-agent 2026.10.01.
 * The names the model uses, and Claude Code's for hooks that come through its settings, mean the same.
 */
import type { JsonObject } from "../../core/json.ts";
import { delegatingTools } from "../delegation.ts";
import { type ToolRow, vocabulary } from "../tool-vocabulary.ts";

const other: ToolRow = { kind: "other" };
const fetch: ToolRow = { kind: "fetch" };
const PATHS = ["file_path", "path", "target_file", "notebook_path", "target_notebook"];
/** Each edit may be of another file. */
const EDITED = [...PATHS, "edits[].file_path", "edits[].path"];
const shell: ToolRow = { kind: "shell", required: ["command"] };
const read: ToolRow = { kind: "read", paths: [...PATHS, "paths"] };
const search: ToolRow = { kind: "search", paths: [...PATHS, "target_directory", "target_directories"] };
const write: ToolRow = {
  kind: "write",
  paths: EDITED,
  content: ["content", "contents", "new_content", "new_string", "edits[].new_string"],
};
const edit: ToolRow = { ...write, kind: "edit" };

const TOOLS: Readonly<Record<string, ToolRow>> = {
  Shell: shell,
  Bash: shell,
  Write: write,
  ApplyPatch: { ...edit, patch: "patch" },
  Delete: edit,
  Edit: edit,
  EditNotebook: edit,
  MultiEdit: edit,
  NotebookEdit: edit,
  StrReplace: edit,
  Read: read,
  ReadFile: read,
  ReadLints: read,
  Glob: search,
  Grep: search,
  List: search,
  LS: search,
  SemanticSearch: search,
  Fetch: fetch,
  WebFetch: fetch,
  WebSearch: fetch,
  Task: { kind: "delegate" },
  AskQuestion: other,
  Await: other,
  CreatePlan: other,
  FetchMcpResource: other,
  GenerateImage: other,
  ListMcpResources: other,
  SwitchMode: other,
  TodoRead: other,
  TodoWrite: other,
};

/** Only Claude Code's names, for hooks that come through its settings; ours come through Cursor's own. */
const ELSEWHERE: readonly string[] = ["Bash", "MultiEdit", "NotebookEdit"];

export const tools = vocabulary({
  names: Object.keys(TOOLS).filter((name) => !ELSEWHERE.includes(name)),
  rowOf(name: string, input: JsonObject): ToolRow | undefined {
    // One name for a new file and for a change of one.
    if (name === "Write" && ("old_string" in input || "edits" in input)) return edit;
    return Object.hasOwn(TOOLS, name) ? TOOLS[name] : undefined;
  },
  mcpNames(name) {
    const [, server, method] = /^MCP:(?:([^/]+)\/)?(.+)$/s.exec(name) ?? /^mcp__(.+?)__(.+)$/s.exec(name) ?? [];
    return method ? { server: server ?? "", method } : undefined;
  },
});

/** Cursor names a tool's server only before the call: `server` is empty elsewhere. */
export const mcpToolName = (server: string, method: string): string =>
  server === "" ? `MCP:${method}` : `MCP:${server}/${method}`;

export const delegating = delegatingTools({
  names: ["Task"],
  target: "subagent_type",
  prompt: "prompt",
  title: "description",
  defaultAgent: "generalPurpose",
});
