// A server of MCP's revision 2026-07-28: node mcp-2-server.mjs <loader of the SDK>. `order` needs an answer of its own.
import { pathToFileURL } from "node:url";

const { load } = await import(pathToFileURL(process.argv[2]).href);
const { McpServer, acceptedContent, inputRequired } = await load("@modelcontextprotocol/server");
const { serveStdio } = await load("@modelcontextprotocol/server/stdio");
const { z } = await load("zod");

const text = (value) => ({ content: [{ type: "text", text: value }] });
const size = z.object({ size: z.string() });

serveStdio(() => {
  const server = new McpServer({ name: "shop", version: "1" });
  const input = { description: "pays", inputSchema: z.object({ amount: z.number() }) };
  server.registerTool("pay", input, async ({ amount }) => text(`paid ${amount}`));
  server.registerTool("order", input, async ({ amount }, ctx) => {
    const given = acceptedContent(ctx.mcpReq.inputResponses, "size", size);
    if (given) return text(`ordered ${amount} of ${given.size} after ${ctx.mcpReq.requestState()}`);
    const asked = inputRequired.elicit({ message: "which size?", requestedSchema: size });
    return inputRequired({ inputRequests: { size: asked }, requestState: "the-servers-own" });
  });
  return server;
});
