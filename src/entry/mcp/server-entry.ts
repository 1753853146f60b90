export const MCP_SERVER_NAME = "holdfast";

/** What a host's list of MCP servers gets under MCP_SERVER_NAME; `command` starts this Holdfast. */
export function mcpServerEntry(command: string): { readonly command: string; readonly args: readonly string[] } {
  return { command, args: ["mcp"] };
}
