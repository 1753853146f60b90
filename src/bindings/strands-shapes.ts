/** What of the Strands SDK is used here, by its shape: the SDK itself is not imported. */
import type { Json } from "../core/json.ts";
import type { StrandsInterrupt } from "./strands-interrupts.ts";
import type { ToolResult } from "./strands-values.ts";

// biome-ignore lint/suspicious/noExplicitAny: the SDK's own types are not imported
type Class = new (...args: any[]) => any;

/** What is used of the SDK: pass its whole module, `import * as strands from "@strands-agents/sdk"`. */
export interface StrandsSdk {
  readonly AfterInvocationEvent: Class;
  readonly AfterModelCallEvent: Class;
  readonly AfterToolCallEvent: Class;
  readonly AgentResult: Class;
  readonly BeforeToolCallEvent: Class;
  readonly ExecuteToolStage: object;
  readonly JsonBlock: Class;
  readonly Message: Class;
  readonly MessageAddedEvent: Class;
  readonly TextBlock: Class;
  // biome-ignore lint/suspicious/noExplicitAny: likewise
  readonly ToolResultBlock: Class & { fromJSON(data: object): any };
}

/** What of the SDK's Agent is used here. */
export interface StrandsAgent {
  readonly messages: readonly unknown[];
  readonly cancelSignal?: AbortSignal;
  readonly toolRegistry: { get(name: string): Tool | undefined };
  // biome-ignore lint/suspicious/noExplicitAny: the SDK's own types are not imported
  stream(args: any, options?: any): AsyncGenerator<any, any, undefined>;
  // biome-ignore lint/suspicious/noExplicitAny: the SDK's own types are not imported
  addHook(event: any, callback: (event: any) => void | Promise<void>, options?: { order?: number }): unknown;
  // biome-ignore lint/suspicious/noExplicitAny: the SDK's own types are not imported
  addMiddleware(stage: any, handler: any): () => void;
}

export interface ToolUse {
  readonly name: string;
  readonly toolUseId: string;
  readonly input: Json;
}

export interface ToolContext {
  readonly toolUse: ToolUse;
}

export interface Tool {
  readonly name?: string;
  readonly toolSpec?: { readonly inputSchema?: unknown };
  /** Agents as tools have it. */
  readonly agent?: StrandsAgent;
  /** What it answers is the turn's answer: no model reads it. */
  readonly delegate?: boolean;
  // biome-ignore lint/suspicious/noExplicitAny: the SDK's own types are not imported
  stream(context: any): AsyncGenerator<any, any, undefined>;
}

export interface BeforeToolCall {
  readonly agent: StrandsAgent;
  toolUse: ToolUse;
  /** What is run in place of the registered tool. */
  selectedTool?: Tool;
  cancel: boolean | string;
  interrupt: StrandsInterrupt;
}

export interface AfterToolCall {
  readonly agent: StrandsAgent;
  readonly toolUse: ToolUse;
  readonly tool?: Tool;
  result: ToolResult;
}

/** What the SDK's middleware is given of a run. */
export interface ExecuteTool {
  readonly agent: StrandsAgent;
  readonly tool?: Tool;
  readonly toolUse: ToolUse;
}

export type ExecuteNext = (context: ExecuteTool) => AsyncGenerator<unknown, { readonly result: ToolResult }, undefined>;

/** Runs after other hooks on a call, and after other hooks on its result. */
export const LAST = { order: 100 };
