// An MCP server with one tool that leaves a file behind: what the model must not get to when a hook blocks it.
import { writeFileSync } from "node:fs";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { z } from "zod";

const server = new McpServer({ name: "notes", version: "1.0.0" });
server.registerTool(
  "leave",
  { description: "Leaves a note in a file.", inputSchema: { path: z.string(), note: z.string() } },
  ({ path, note }) => {
    writeFileSync(path, note);
    return { content: [{ type: "text", text: "left" }] };
  },
);
await server.connect(new StdioServerTransport());
