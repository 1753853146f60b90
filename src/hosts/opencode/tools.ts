/** OpenCode's tools, as the program of 1.18.18 registers them, those behind its experimental switches included. */
import { delegatingTools } from "../delegation.ts";
import { type ToolRow, vocabulary } from "../tool-vocabulary.ts";

const other: ToolRow = { kind: "other" };

const TOOLS: Readonly<Record<string, ToolRow>> = {
  bash: { kind: "shell", required: ["command"] },
  write: { kind: "write", paths: ["filePath"], content: ["content"], required: ["filePath", "content"] },
  edit: {
    kind: "edit",
    paths: ["filePath"],
    content: ["newString"],
    required: ["filePath", "oldString", "newString"],
  },
  // Of versions before 1.0.
  multiedit: { kind: "edit", paths: ["filePath", "edits[].filePath"], content: ["edits[].newString"] },
  patch: { kind: "edit", patch: "patchText" },
  apply_patch: { kind: "edit", patch: "patchText", required: ["patchText"] },
  read: { kind: "read", paths: ["filePath"], required: ["filePath"] },
  lsp: { kind: "read", paths: ["filePath"] },
  glob: { kind: "search", paths: ["path"], required: ["pattern"] },
  grep: { kind: "search", paths: ["path"], required: ["pattern"] },
  webfetch: { kind: "fetch", required: ["url"] },
  websearch: { kind: "fetch", required: ["query"] },
  task: { kind: "delegate", required: ["description", "prompt", "subagent_type"] },
  // Experimental: runs a script that calls tools of MCP servers.
  execute: other,
  // What a call becomes that names no tool or breaks its schema: it only reports the mistake.
  invalid: other,
  list_mcp_resources: other,
  list_mcp_resource_templates: other,
  read_mcp_resource: other,
  plan_enter: other,
  plan_exit: other,
  question: other,
  skill: other,
  StructuredOutput: other,
  todoread: other,
  todowrite: other,
};

export const tools = vocabulary({
  names: Object.keys(TOOLS),
  rowOf: (name) => (Object.hasOwn(TOOLS, name) ? TOOLS[name] : undefined),
  mcpNames(name) {
    const [, server, method] = /^mcp__(.+?)__(.+)$/.exec(name) ?? [];
    return server && method ? { server, method } : undefined;
  },
});

/**
 * OpenCode joins a server's name and its tool's by one underscore, which cannot be taken apart again. The plugin knows
 * the servers and spells the name so that it can.
 */
export function spelledTool(name: string, servers: readonly string[]): string {
  if (tools.knows(name)) return name;
  const [server] = servers
    .filter((candidate) => name.startsWith(`${joined(candidate)}_`) && name.length > candidate.length + 1)
    .sort((left, right) => right.length - left.length);
  return server === undefined ? name : `mcp__${server}__${name.slice(server.length + 1)}`;
}

const joined = (server: string) => server.replace(/[^a-zA-Z0-9_-]/g, "_");

export const delegating = delegatingTools({
  names: ["task"],
  target: "subagent_type",
  prompt: "prompt",
  title: "description",
  defaultAgent: "general",
});
