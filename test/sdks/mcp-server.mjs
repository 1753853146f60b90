// A server with something of everything, for tests of what stands between it and its client.
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import {
  CallToolRequestSchema,
  ErrorCode,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListToolsRequestSchema,
  McpError,
  ReadResourceRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";

const calls = [];
let cancelled = 0;
const number = { type: "number" };
const object = (properties) => ({ type: "object", properties, required: Object.keys(properties) });
const text = (value) => ({ content: [{ type: "text", text: value }] });

const TOOLS = {
  add: {
    inputSchema: object({ a: number, b: number }),
    outputSchema: object({ sum: number }),
    call: ({ a, b }) => ({ ...text(`{"sum":${a + b}}`), structuredContent: { sum: a + b } }),
  },
  calls: { call: () => text(JSON.stringify(calls.filter((name) => name !== "calls"))) },
  cancelled: { call: () => text(String(cancelled)) },
  change: {
    async call(_, { sendNotification }) {
      await sendNotification({ method: "notifications/tools/list_changed" });
      return text("changed");
    },
  },
  slow: {
    async call(_, { _meta, sendNotification }) {
      for (const progress of [1, 2, 3]) {
        const params = { progressToken: _meta.progressToken, progress, total: 3 };
        await sendNotification({ method: "notifications/progress", params });
        // A client forgets whom to tell of progress once it has read the answer, even in the same chunk.
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
      return text("slow but sure");
    },
  },
  wait: {
    call: (_, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener("abort", () => {
          cancelled += 1;
          reject(new Error("cancelled"));
        });
      }),
  },
};

const server = new Server(
  { name: "of everything", version: "1" },
  { capabilities: { tools: { listChanged: true }, resources: {}, prompts: {} } },
);
server.setRequestHandler(ListToolsRequestSchema, () => ({
  tools: Object.entries(TOOLS).map(([name, { call: _, inputSchema = object({}), ...rest }]) => ({
    name,
    inputSchema,
    ...rest,
  })),
}));
server.setRequestHandler(CallToolRequestSchema, ({ params }, extra) => {
  const tool = TOOLS[params.name];
  if (!tool) throw new McpError(ErrorCode.InvalidParams, `no tool ${params.name}`);
  calls.push(params.name);
  return tool.call(params.arguments ?? {}, extra);
});
server.setRequestHandler(ListResourcesRequestSchema, () => ({ resources: [{ uri: "lab://one", name: "one" }] }));
server.setRequestHandler(ReadResourceRequestSchema, ({ params }) => ({
  contents: [{ uri: params.uri, text: "first" }],
}));
server.setRequestHandler(ListPromptsRequestSchema, () => ({ prompts: [{ name: "hello" }] }));
server.setRequestHandler(GetPromptRequestSchema, () => ({
  messages: [{ role: "user", content: { type: "text", text: "hello" } }],
}));
process.stdin.once("end", () => process.exit(0));
await server.connect(new StdioServerTransport());
