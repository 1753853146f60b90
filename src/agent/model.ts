/** What an agent needs of a model: messages and tools in, words and tool calls out. */
import type { JsonObject } from "../core/json.ts";
import type { Message, ToolRequest } from "./message.ts";

export interface OfferedTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of its input. */
  readonly schema: JsonObject;
}

export interface ModelRequest {
  readonly messages: readonly Message[];
  readonly tools: readonly OfferedTool[];
  readonly signal: AbortSignal;
}

export interface ModelAnswer {
  readonly text: string;
  readonly calls: readonly ToolRequest[];
}

export interface Model {
  readonly id: string;
  answer(request: ModelRequest): Promise<ModelAnswer>;
}
