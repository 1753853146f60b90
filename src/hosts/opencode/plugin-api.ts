/** The part of OpenCode's plugin API that we use, as its program of 1.18.18 passes it. */
import type { JsonObject } from "../../core/json.ts";

export interface PluginContext {
  readonly directory: string;
  readonly client: Client;
}

/** A client of OpenCode's own server. */
export interface Client {
  readonly app: { log(request: { body: LogEntry }): Promise<unknown> };
  readonly session: { promptAsync(request: { path: { id: string }; body: PromptBody }): Promise<unknown> };
  postSessionIdPermissionsPermissionId(request: {
    path: { id: string; permissionID: string };
    body: { response: "once" | "reject" };
  }): Promise<unknown>;
}

interface LogEntry {
  readonly service: string;
  readonly level: "warn" | "error";
  readonly message: string;
}

export interface PromptBody extends Voice {
  readonly parts: readonly { readonly type: "text"; readonly text: string }[];
}

/** Who a session speaks as. */
export interface Voice {
  readonly agent?: string;
  readonly model?: { readonly providerID: string; readonly modelID: string };
}

export interface MessageOutput {
  readonly message: Voice & { readonly id: string };
  readonly parts: Part[];
}

export interface Part {
  readonly id: string;
  readonly sessionID: string;
  readonly messageID: string;
  readonly type: string;
  readonly text?: string;
  readonly synthetic?: boolean;
}

export interface ToolInput {
  readonly tool: string;
  readonly sessionID: string;
  readonly callID: string;
}

/** Tools of MCP servers hand on their server's result as it is: content, no output. */
export interface ToolOutput {
  output?: unknown;
  content?: unknown;
  attachments?: unknown;
  metadata?: unknown;
}

export interface BusEvent {
  readonly type: string;
  readonly properties: JsonObject;
}

/** What a plugin hands to OpenCode. */
export interface Hooks {
  config(config: { readonly mcp?: object }): Promise<void>;
  event(input: { readonly event: BusEvent }): Promise<void>;
  dispose(): Promise<void>;
  "chat.message"(input: { readonly sessionID: string }, output: MessageOutput): Promise<void>;
  "tool.execute.before"(input: ToolInput, output: { readonly args: Record<string, unknown> }): Promise<void>;
  "tool.execute.after"(input: ToolInput & { readonly args: unknown }, output: ToolOutput): Promise<void>;
  "experimental.session.compacting"(
    input: { readonly sessionID: string },
    output: { context: string[] },
  ): Promise<void>;
  "experimental.text.complete"(input: { readonly sessionID: string }, output: { readonly text: string }): Promise<void>;
}
