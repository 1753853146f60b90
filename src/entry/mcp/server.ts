/** `holdfast mcp`: the workflow's tools and prompts over the Model Context Protocol. */
import type { Readable, Writable } from "node:stream";
// The low-level server: the high-level one answers a wrong argument in its own words, not as {"error", "code", "message"}.
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import {
  CallToolRequestSchema,
  type CallToolResult,
  ErrorCode,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  ListToolsRequestSchema,
  McpError,
} from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod";
import { nearest } from "../../core/nearest.ts";
import { VERSION } from "../../engine/version.ts";
import { MCP_SERVER_NAME } from "../../hosts/mcp-servers-file.ts";
import { phaseFault } from "../../workflow/phase-name.ts";
import { isProblem, Problem } from "../../workflow/problem.ts";
import type { Workflow } from "../../workflow/workflow.ts";
import { PROMPTS } from "./prompts.ts";
import { TOOLS, type Tool } from "./tools.ts";

const INSTRUCTIONS =
  "Holdfast keeps this project's workflow state. Call status or state_get when you begin; move on with state_transition only when a step's work is done. The files in .holdfast/ that hold state and settings are changed through these tools only.";

/** Serves until the client closes its end. */
export async function serve(workflow: Workflow, input: Readable, output: Writable): Promise<void> {
  const server = createServer(workflow);
  const closed = new Promise<void>((resolve) => {
    server.onclose = resolve;
  });
  // The transport does not look at the end of its input; without this the process would outlive its client.
  for (const ending of ["end", "close", "error"]) input.once(ending, () => void server.close());
  // The transport waits for a full pipe once per answer; many calls at once are no leak.
  output.setMaxListeners(0);
  await server.connect(new StdioServerTransport(input, output));
  await closed;
}

export function createServer(workflow: Workflow): Server {
  const server = new Server(
    { name: MCP_SERVER_NAME, title: "Holdfast", version: VERSION },
    { capabilities: { tools: {}, prompts: {} }, instructions: INSTRUCTIONS },
  );
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: TOOLS.map(describeTool) }));
  server.setRequestHandler(CallToolRequestSchema, ({ params }) =>
    answer(callTool(named(TOOLS, params.name, "tool"), workflow, params.arguments ?? {})),
  );
  server.setRequestHandler(ListPromptsRequestSchema, () => ({
    prompts: PROMPTS.map(({ name, description, takesPhase }) => ({
      name,
      description,
      arguments: takesPhase ? [PHASE_ARGUMENT] : [],
    })),
  }));
  server.setRequestHandler(GetPromptRequestSchema, ({ params }) => promptFor(params.name, params.arguments ?? {}));
  return server;
}

const PHASE_ARGUMENT = {
  name: "phase",
  description: "name of the phase; the current one when left out",
  required: false,
};

function describeTool({ name, title, description, input, readOnly }: Tool) {
  return {
    name,
    title,
    description,
    inputSchema: { ...z.toJSONSchema(input, { io: "input" }), type: "object" as const },
    annotations: { title, readOnlyHint: readOnly, destructiveHint: false, openWorldHint: false },
  };
}

function callTool(tool: Tool, workflow: Workflow, input: unknown): object {
  const parsed = tool.input.safeParse(input);
  if (parsed.success) return tool.call(workflow, parsed.data);
  const faults = parsed.error.issues.map(({ path, message }) => [path.join("."), message].filter(Boolean).join(": "));
  const takes = Object.keys(tool.input.shape).join(", ") || "nothing";
  return new Problem("INVALID_INPUT", `${faults.join("; ")}. ${tool.name} takes ${takes}.`);
}

function answer(value: object): CallToolResult {
  return {
    content: [{ type: "text", text: JSON.stringify(value, null, 2) }],
    structuredContent: { ...value },
    ...(isProblem(value) ? { isError: true } : {}),
  };
}

function promptFor(name: string, given: Readonly<Record<string, string>>) {
  const prompt = named(PROMPTS, name, "prompt");
  // Clients send an argument the person left empty as an empty text.
  const phase = given.phase?.trim() || undefined;
  const fault = phase === undefined ? undefined : phaseFault(phase);
  if (fault) throw new McpError(ErrorCode.InvalidParams, fault.message);
  const text = prompt.text(phase);
  return {
    description: prompt.description,
    messages: [{ role: "user" as const, content: { type: "text" as const, text } }],
  };
}

function named<T extends { readonly name: string }>(rows: readonly T[], name: string, what: string): T {
  const row = rows.find((known) => known.name === name);
  if (row) return row;
  const names = rows.map((known) => known.name);
  const meant = nearest(name, names);
  throw new McpError(
    ErrorCode.InvalidParams,
    `There is no ${what} "${name}".${meant ? ` Did you mean ${meant}?` : ""} There are: ${names.join(", ")}.`,
  );
}
