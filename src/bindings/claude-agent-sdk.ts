/**
 * Claude Agent SDK (@anthropic-ai/claude-agent-sdk 0.3). Its hooks are Claude Code's, called back instead of run: so
 * payloads are read and answered by that host's codec. One callback per event: of several the SDK takes the last to
 * finish. Session start and end are not called back and are fired around `query()`.
 */
import type { JsonObject } from "../core/json.ts";
import type { Session } from "../embed/session.ts";
import {
  ClaudeCallbacks,
  type ClaudeGuardOptions,
  type Permission,
  started,
  TIMEOUT_SECONDS,
} from "./claude-agent-sdk-callbacks.ts";
import { judgedOwnHooks, type OwnHooks } from "./claude-agent-sdk-own-hooks.ts";
import { endSession, startSession } from "./turn.ts";

export { support } from "./claude-agent-sdk-support.ts";

export type { ClaudeGuardOptions };

// biome-ignore lint/suspicious/noExplicitAny: the SDK's own types are not imported
type Input = any;

export type HookCallback = (
  input: Input,
  toolUseId: string | undefined,
  options: { readonly signal: AbortSignal },
) => Promise<JsonObject>;

export interface HookMatcher {
  readonly hooks: HookCallback[];
  readonly timeout: number;
  readonly onFailure?: "block";
}

export interface ClaudeGuard {
  readonly hooks: Readonly<Record<string, HookMatcher[]>>;
  readonly canUseTool: (tool: string, input: Record<string, unknown>, options: Input) => Promise<Permission>;
  /** `options.hooks` of your own, for use beside `hooks`: what they make of a call or its output is judged. */
  ownHooks(hooks: OwnHooks): OwnHooks;
  /** What a person is to be asked about a deferred call. */
  questionOf(toolUseId: string): string | undefined;
}

const GUARDS: readonly string[] = ["PreToolUse", "UserPromptSubmit", "PermissionRequest", "PreCompact"];
const EVENTS: readonly string[] = [
  ...GUARDS,
  ...["PostToolUse", "PostToolUseFailure", "Stop", "SubagentStart", "SubagentStop", "PostCompact", "SessionStart"],
  "Notification",
];

/** `options.hooks` and `options.canUseTool` of a query. Better still is `guardedQuery`, which fires session start and end. */
export function holdfastHooks(session: Session, options: ClaudeGuardOptions = {}): ClaudeGuard {
  const guard = new ClaudeCallbacks(session, options);
  const matcher = (event: string): HookMatcher => ({
    hooks: [(input, toolUseId, { signal }) => guard.called(event, input, toolUseId, signal)],
    timeout: TIMEOUT_SECONDS,
    ...(GUARDS.includes(event) ? { onFailure: "block" } : {}),
  });
  return {
    hooks: Object.fromEntries(EVENTS.map((event) => [event, [matcher(event)]])),
    canUseTool: (tool, input, { signal, toolUseID, agentID, decisionReason }) =>
      guard.mayUse({ tool, input, signal, toolUseId: toolUseID, agentId: agentID, reason: decisionReason }),
    ownHooks: (hooks) => judgedOwnHooks(hooks, (...call) => guard.calledAgain(...call)),
    questionOf: (toolUseId) => guard.deferrals.questionOf(toolUseId),
  };
}

export interface GuardedQuery<M> {
  readonly session: Session;
  /** The SDK's `query`. */
  query(params: Input): AsyncIterable<M>;
  readonly prompt: unknown;
  /** As for `query`. What hooks of your own make of a call is judged like the call. */
  readonly options?: Readonly<Record<string, Input>>;
  readonly guard?: ClaudeGuard;
}

/** `query()`, guarded: its messages, between the start and the end of the session. */
export async function* guardedQuery<M>(given: GuardedQuery<M>): AsyncGenerator<M, void, undefined> {
  const { session, query, prompt, options = {}, guard = holdfastHooks(session) } = given;
  if (options.canUseTool !== undefined) throw new Error(OWN_PERMISSIONS);
  let ended = "error";
  let isSuspended = false;
  const own = guard.ownHooks(options.hooks ?? {});
  const hooks = Object.fromEntries(
    [...new Set([...Object.keys(guard.hooks), ...Object.keys(own)])].map((event) => [
      event,
      [...(guard.hooks[event] ?? []), ...(own[event] ?? [])],
    ]),
  );
  started.set(session, await startSession(session, options.resume === undefined ? "startup" : "resume"));
  try {
    for await (const message of query({ prompt, options: { ...options, hooks, canUseTool: guard.canUseTool } })) {
      const { type, subtype, deferred_tool_use } = message as Result;
      if (type === "result") ended = subtype ?? "success";
      isSuspended = type === "result" && deferred_tool_use !== undefined;
      yield message;
    }
  } finally {
    // A session that waits is not over: its end would withdraw what people are asked.
    if (!isSuspended) await endSession(session, ended);
  }
}

const OWN_PERMISSIONS =
  "guardedQuery asks hooks and then people itself, so options.canUseTool would never be called. Ask people with createHoldfast({ ask }), or pass holdfastHooks(session) to a plain query and call its canUseTool from yours.";

interface Result {
  readonly type?: string;
  readonly subtype?: string;
  readonly deferred_tool_use?: unknown;
}
