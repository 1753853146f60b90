import { type AgentEvent, type EventOf, hasTool } from "./event.ts";
import { HookFailure } from "./failure.ts";
import { isJsonObject, type Json, type JsonObject } from "./json.ts";
import type { ToolCall } from "./tool.ts";

/** How a host reads one of its tools; also says what is wrong with an input, where the tool's schema is known. */
export interface ToolReader {
  read(name: string, input: JsonObject, id?: string): ToolCall;
  problem?(name: string, input: JsonObject): string | undefined;
}

/** The event as it stands after a rewrite. A rewrite that could not run as a call is a failure of its hook. */
export function rewriteEvent(event: AgentEvent, rewrite: Json, tools: ToolReader): AgentEvent {
  if (event.name === "post_tool_use") return { ...event, response: rewrite };
  if (event.name === "pre_delegation") return rewriteDelegation(event, rewrite);
  if (hasTool(event)) return { ...event, tool: rewriteTool(event.tool, rewrite, tools) };
  throw new HookFailure("invalid-rewrite", `${event.name} cannot be rewritten`);
}

function rewriteTool(tool: ToolCall, input: Json, tools: ToolReader): ToolCall {
  if (!isJsonObject(input)) {
    throw new HookFailure("invalid-rewrite", `rewrote the input of ${tool.name} to something that is not an object`);
  }
  const problem = tools.problem?.(tool.name, input);
  if (problem) throw new HookFailure("invalid-rewrite", `rewrote the input of ${tool.name}: ${problem}`);
  const rewritten = tools.read(tool.name, input, tool.id);
  const lost =
    (tool.kind === "shell" && (rewritten.kind !== "shell" || rewritten.command === "")) ||
    (tool.paths.length > 0 && rewritten.paths.length === 0);
  if (lost) {
    const field = tool.kind === "shell" ? "command" : "path";
    throw new HookFailure("invalid-rewrite", `rewrote the input of ${tool.name} without its ${field}`);
  }
  return rewritten;
}

const DELEGATION_FIELDS: Readonly<Record<string, keyof EventOf<"pre_delegation">>> = {
  target_agent_id: "targetAgentId",
  objective: "objective",
  context: "context",
  constraints: "constraints",
  expected_output: "expectedOutput",
};

/** A delegation is rewritten field by field: null or absent keeps what was there. */
function rewriteDelegation(event: EventOf<"pre_delegation">, rewrite: Json): AgentEvent {
  if (!isJsonObject(rewrite)) throw new HookFailure("invalid-rewrite", "rewrote the delegation to a non-object");
  const changes: Record<string, string> = {};
  for (const [key, value] of Object.entries(rewrite)) {
    const field = DELEGATION_FIELDS[key];
    if (!field) throw new HookFailure("invalid-rewrite", `a delegation has no field "${key}"`);
    if (value === null) continue;
    if (typeof value !== "string")
      throw new HookFailure("invalid-rewrite", `delegation field "${key}" must be a string`);
    changes[field] = value;
  }
  return { ...event, ...changes };
}
