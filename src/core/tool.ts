import type { JsonObject } from "./json.ts";

/** What a tool does, in one vocabulary for all hosts. */
export const TOOL_KINDS = ["shell", "write", "edit", "read", "search", "fetch", "mcp", "delegate", "other"] as const;
export type ToolKind = (typeof TOOL_KINDS)[number];

interface AnyToolCall {
  /** The host's own name of the tool. */
  readonly name: string;
  /** The host's own arguments, untouched. */
  readonly input: JsonObject;
  /** The host's id of this call, where it gives one. */
  readonly id?: string;
  /** The files the call names, as the host wrote them. */
  readonly paths: readonly string[];
}

export interface ShellCall extends AnyToolCall {
  readonly kind: "shell";
  readonly command: string;
  /** It is only started: whether it succeeds, the call does not tell. */
  readonly background?: true;
  /** What it would run is no text: nobody can judge it. */
  readonly unreadable?: true;
}

export interface ContentCall extends AnyToolCall {
  readonly kind: "write" | "edit";
  /** The text that would be written, where the call carries it. */
  readonly content?: string;
}

export interface McpCall extends AnyToolCall {
  readonly kind: "mcp";
  readonly server: string;
  readonly method: string;
}

export interface PlainCall extends AnyToolCall {
  readonly kind: "read" | "search" | "fetch" | "delegate" | "other";
}

export type ToolCall = ShellCall | ContentCall | McpCall | PlainCall;
export type ToolCallOf<K extends ToolKind> = Extract<ToolCall, { kind: K }>;

/** The names a matcher may use for a call: the host's own, the canonical kind, and for MCP `mcp:server/tool`. */
export function toolNames(tool: ToolCall): readonly string[] {
  const names = [tool.name, tool.kind];
  return tool.kind === "mcp" ? [...names, `mcp:${tool.server}/${tool.method}`] : names;
}
