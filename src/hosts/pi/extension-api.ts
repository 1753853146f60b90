/** The part of pi's extension API that we use (dist/core/extensions/types.d.ts of 0.87.1), in our own words. */

export interface ExtensionApi {
  on<E extends PiEventName>(event: E, handler: Handler<E>): void;
  /** `triggerTurn: false`: added to the session, read by the model with its next request, and starts none. */
  sendMessage(message: CustomMessage, options: { readonly triggerTurn: false }): void;
}

export type Handler<E extends PiEventName> = (
  event: PiEvents[E],
  context: ExtensionContext,
) => Promise<PiResults[E] | undefined>;

/** Every access throws once the session was replaced. */
export interface ExtensionContext {
  readonly cwd: string;
  /** Whether there is somebody who can be shown something and asked. */
  readonly hasUI: boolean;
  readonly ui: {
    confirm(title: string, message: string, options?: { signal?: AbortSignal }): Promise<boolean>;
    notify(message: string, type?: "info" | "warning" | "error"): void;
  };
  readonly model?: { readonly id: string; readonly provider: string } | undefined;
  readonly sessionManager: { getSessionId(): string; getSessionFile(): string | undefined };
  /** Aborted when the person interrupts; undefined while no agent runs. */
  readonly signal?: AbortSignal | undefined;
}

export interface PiEvents {
  session_start: { readonly reason: string };
  session_shutdown: { readonly reason: string };
  input: { readonly text: string };
  /** `input` is changed in place. */
  tool_call: { readonly toolName: string; readonly toolCallId: string; readonly input: Record<string, unknown> };
  tool_result: {
    readonly toolName: string;
    readonly toolCallId: string;
    readonly input: Readonly<Record<string, unknown>>;
    readonly content: readonly unknown[];
    readonly isError: boolean;
  };
  session_before_compact: {
    readonly reason: string;
    readonly preparation: { readonly tokensBefore?: number; readonly messagesToSummarize: readonly unknown[] };
  };
  session_compact: {
    readonly reason: string;
    readonly compactionEntry: { readonly summary: string; readonly tokensBefore?: number };
  };
  /** `entries`: what extensions before us add to the session. */
  agent_before_settle: {
    readonly outcome: "completed" | "aborted" | "error";
    readonly entries: readonly unknown[];
    readonly context: { readonly llmMessages: readonly Message[] };
  };
}

export type PiEventName = keyof PiEvents;

export interface PiResults {
  session_start: undefined;
  session_shutdown: undefined;
  input: { readonly action: "handled" };
  tool_call: { readonly block: true; readonly reason: string };
  tool_result: { readonly content: readonly unknown[] };
  session_before_compact: { readonly cancel: true };
  session_compact: undefined;
  agent_before_settle: { readonly entries?: readonly unknown[]; readonly continue?: boolean };
}

export interface CustomMessage {
  readonly customType: string;
  readonly content: string;
  /** Whether the person sees it in the conversation. */
  readonly display: boolean;
}

export interface Message {
  readonly role: string;
  readonly content: unknown;
}
