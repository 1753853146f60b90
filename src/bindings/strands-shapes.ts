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
  readonly JsonBlock: Class;
  readonly Message: Class;
  readonly TextBlock: Class;
  readonly ToolResultBlock: Class;
}

/** What of the SDK's Agent is used here. */
export interface StrandsAgent {
  readonly messages: readonly unknown[];
  readonly cancelSignal?: AbortSignal;
  // biome-ignore lint/suspicious/noExplicitAny: the SDK's own types are not imported
  stream(args: any, options?: any): AsyncGenerator<any, any, undefined>;
  // biome-ignore lint/suspicious/noExplicitAny: the SDK's own types are not imported
  addHook(event: any, callback: (event: any) => void | Promise<void>, options?: { order?: number }): unknown;
}

export interface ToolUse {
  readonly name: string;
  readonly toolUseId: string;
  readonly input: Json;
}

export interface BeforeToolCall {
  readonly agent: StrandsAgent;
  toolUse: ToolUse;
  readonly tool?: { readonly toolSpec?: { readonly inputSchema?: unknown }; readonly agent?: StrandsAgent };
  cancel: boolean | string;
  interrupt: StrandsInterrupt;
}

export interface AfterToolCall {
  readonly toolUse: ToolUse;
  result: ToolResult;
}

/** Runs after other hooks on a call, and after other hooks on its result: what is judged is what happens. */
export const LAST = { order: 100 };
