/** Globs on a call's names: the host's own, its kind, and for MCP `mcp:server/tool`. */
import { type ToolCall, toolNames } from "../core/tool.ts";
import { type TextMatcher, wildcardMatcher } from "./path-glob.ts";

const compiled = new WeakMap<readonly string[], readonly TextMatcher[]>();

/** The globs of one config stay one list: they are compiled once. */
export function namesTool(globs: readonly string[], tool: ToolCall): boolean {
  if (globs.length === 0) return false;
  const matchers = compiled.get(globs) ?? globs.map(wildcardMatcher);
  compiled.set(globs, matchers);
  const names = toolNames(tool);
  return matchers.some((matches) => names.some(matches));
}

/** What a tool belongs to: an MCP server, or the part before `__` of a name such as `crm__create_customer`. */
export function connectorOf(tool: ToolCall): string | undefined {
  if (tool.kind === "mcp") return tool.server;
  const at = tool.name.indexOf("__");
  return at > 0 && at + 2 < tool.name.length ? tool.name.slice(0, at) : undefined;
}
