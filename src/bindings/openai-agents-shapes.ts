/** What of the OpenAI Agents SDK is used here, by its shape: the SDK itself is not imported. */

export interface RunContext {
  isToolApproved(approval: { toolName: string; callId: string }): boolean | undefined;
  toJSON(): { readonly approvals?: Readonly<Record<string, { readonly rejected?: boolean | readonly string[] }>> };
}

export interface CallDetails {
  readonly toolCall?: { readonly callId?: string };
  readonly signal?: AbortSignal;
}

export interface FunctionTool {
  readonly type: "function";
  readonly name: string;
  readonly parameters?: unknown;
  readonly outputSchema?: unknown;
  invoke(context: RunContext, input: string, details?: CallDetails): Promise<unknown>;
  needsApproval(context: RunContext, input: unknown, callId?: string): Promise<boolean>;
  /** Agents as tools have it. */
  readonly on?: unknown;
}

export type Tool = FunctionTool | { readonly type: string; readonly name?: string };

export interface Handoff {
  readonly toolName: string;
  readonly agent: OpenAiAgent;
  readonly inputJsonSchema?: unknown;
  onInvokeHandoff(context: RunContext, args: string): Promise<OpenAiAgent> | OpenAiAgent;
  clone(overrides: Partial<Pick<Handoff, "agent" | "onInvokeHandoff">>): Handoff;
}

/** What of the SDK's Agent is used here. */
export interface OpenAiAgent {
  readonly name: string;
  // biome-ignore lint/suspicious/noExplicitAny: the SDK's own types are not imported
  tools: any[];
  // biome-ignore lint/suspicious/noExplicitAny: the SDK's own types are not imported
  handoffs: any[];
  // biome-ignore lint/suspicious/noExplicitAny: the SDK's own types are not imported
  clone(config: any): any;
  // biome-ignore lint/suspicious/noExplicitAny: the SDK's own types are not imported
  asTool(options: any): any;
  // biome-ignore lint/suspicious/noExplicitAny: the SDK's own types are not imported
  getMcpTools(...args: any[]): Promise<any[]>;
  // biome-ignore lint/suspicious/noExplicitAny: the SDK's own types are not imported
  getEnabledHandoffs(...args: any[]): Promise<any[]>;
  // biome-ignore lint/suspicious/noExplicitAny: the SDK's own types are not imported
  getSystemPrompt(...args: any[]): Promise<string | undefined>;
}
