// A client, an MCP server, and Holdfast between them. The server is this file again, started with "serve".
//   npm install holdfast @modelcontextprotocol/sdk && node mcp-proxy.mjs
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { createHoldfast, defineHook } from "holdfast";
import { proxyMcp } from "holdfast/mcp-proxy";

const file = fileURLToPath(import.meta.url);
await (process.argv[2] === "serve" ? serve() : call());

async function serve() {
  const server = new Server({ name: "crm", version: "1.0.0" }, { capabilities: { tools: {} } });
  const inputSchema = { type: "object", properties: { name: { type: "string" } }, required: ["name"] };
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: ["find_customer", "delete_customer"].map((name) => ({ name, inputSchema })),
  }));
  server.setRequestHandler(CallToolRequestSchema, ({ params }) => {
    const customer = { name: params.arguments.name, card: "4111 1111 1111 1111" };
    return { content: [{ type: "text", text: JSON.stringify(customer) }], structuredContent: customer };
  });
  process.stdin.once("end", () => process.exit(0));
  await server.connect(new StdioServerTransport());
}

/** From a terminal or a client's settings the same is: holdfast mcp-proxy --name crm -- node mcp-proxy.mjs serve */
async function call() {
  const holdfast = await createHoldfast({
    host: "mcp-proxy",
    hooks: [
      defineHook({
        name: "no-deletes",
        on: ["pre_tool_use"],
        when: { tool: "mcp__crm__delete_*" },
        judge: () => ({ block: "Customers are archived, not deleted." }),
      }),
      defineHook({
        name: "no-cards",
        on: ["post_tool_use"],
        when: { kind: "mcp" },
        judge: ({ response }) => ({
          rewrite: JSON.parse(JSON.stringify(response).replace(/(\d{4} ){3}\d{4}/g, "[card]")),
        }),
      }),
    ],
  });
  const [ours, client] = InMemoryTransport.createLinkedPair();
  const server = new StdioClientTransport({ command: process.execPath, args: [file, "serve"] });
  const proxied = proxyMcp({ session: holdfast.session({ user: "mona" }), client, server, name: "crm" });
  const mcp = new Client({ name: "example", version: "1.0.0" });
  await mcp.connect(ours);
  for (const name of ["find_customer", "delete_customer"]) {
    const { content, structuredContent } = await mcp.callTool({ name, arguments: { name: "Ada" } });
    console.log(`${name}:`, content[0].text, structuredContent ?? "");
  }
  await mcp.close();
  await proxied;
  await holdfast.close();
}
