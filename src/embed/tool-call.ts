/** One tool call of an agent, from the first hook to the last. What every agent and every binding does alike. */
import type { Json, JsonObject } from "../core/json.ts";
import type { ToolCall } from "../core/tool.ts";
import type { EngineHost } from "./engine-host.ts";
import type { Fired, Session, ToolUse } from "./session.ts";

export interface CalledTool extends ToolUse {
  /** Runs the tool with the input as hooks left it. Throwing means that it failed. */
  run(input: JsonObject): Promise<Json> | Json;
  /** The agent itself would ask a person before it runs this. */
  readonly needsPermission?: boolean;
  /** Why the agent itself will not run this. Hooks look at the call all the same. */
  readonly refusal?: string;
  readonly signal?: AbortSignal;
}

export interface Question {
  readonly session: Session;
  readonly tool: ToolUse;
  /** Why a person is asked. */
  readonly reason: string;
  readonly signal?: AbortSignal;
}

/** A person's answer. `always`: the agent need not ask about this again in this session; hooks may. */
export type PersonAnswer =
  | { readonly allow: true; readonly always?: boolean }
  | { readonly allow: false; readonly always?: boolean; readonly reason?: string };

export type ToolOutcome =
  | {
      readonly status: "ran";
      readonly input: JsonObject;
      /** What the model sees. */
      readonly output: Json;
      readonly failed: boolean;
      readonly context: readonly string[];
    }
  | {
      readonly status: "blocked";
      readonly input: JsonObject;
      readonly reason: string;
      readonly context: readonly string[];
    };

export async function callTool(session: Session, host: EngineHost, called: CalledTool): Promise<ToolOutcome> {
  const { name, input, id, signal } = called;
  const given: ToolUse = { name, input, ...(id === undefined ? {} : { id }) };
  const before = await session.fire("pre_tool_use", { tool: given }, signal);
  const tool = { ...given, input: before.final.tool.input };
  const blocked = (reason: string, more: readonly string[] = []): ToolOutcome => ({
    status: "blocked",
    input: tool.input,
    reason,
    context: [...before.context, ...more],
  });
  if (before.kind === "block") return blocked(before.reason);
  if (called.refusal !== undefined) return blocked(called.refusal);
  if (before.kind === "ask" || called.needsPermission) {
    const refusal = await refusalOf(session, host, tool, before, signal);
    if (refusal !== undefined) return blocked(refusal);
  }
  if (signal?.aborted) return blocked("it was cancelled before it ran");
  const startedMs = performance.now();
  const { response, failed } = await ran(called, tool.input);
  const durationMs = Math.round(performance.now() - startedMs);
  const seen = { tool, response, failed, outcomeUnknown: false, durationMs };
  // Without the signal: what ran is looked at and recorded, even where the turn was cancelled meanwhile.
  const after = await session.fire("post_tool_use", seen);
  const context = [...before.context, ...after.context];
  // the block replaces what the model sees; that the tool ran stays in the records.
  if (after.kind === "block")
    return { status: "ran", input: tool.input, output: `Error: ${after.reason}`, failed: true, context };
  return { status: "ran", input: tool.input, output: after.final.response, failed, context };
}

/**
 * Why the call may not run; undefined: it may. An allow of pre_tool_use spares the person the question, never the hooks
 * on permission_request; what a person said once and for all spares both, unless a hook asks.
 */
async function refusalOf(
  session: Session,
  host: EngineHost,
  tool: ToolUse,
  before: Fired<"pre_tool_use">,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  const known = session.answers.get(answerKey(before.final.tool));
  if (known && before.kind !== "ask") return known.allow ? undefined : saidNo(tool, known.reason);
  const asked = await session.fire("permission_request", { tool }, signal);
  if (asked.kind === "block") return asked.reason;
  if (asked.kind === "allow" || before.kind === "allow") return undefined;
  const reason = before.reason || `${tool.name} needs a person's permission`;
  if (!host.ask) return `${reason} Nobody is there to be asked; do something else, or stop and say what you need.`;
  const answer = await host.ask({ session, tool, reason, ...(signal ? { signal } : {}) });
  if (answer.always) session.answers.set(answerKey(before.final.tool), answer);
  return answer.allow ? undefined : saidNo(tool, answer.reason);
}

const saidNo = ({ name }: ToolUse, reason: string | undefined) => reason ?? `a person said no to ${name}`;

/** "Always" is about a tool; of a shell, about one command: a yes to `ls` is none to `rm`. */
const answerKey = (tool: ToolCall) => (tool.kind === "shell" ? `${tool.name} ${tool.command}` : tool.name);

async function ran({ run }: CalledTool, input: JsonObject): Promise<{ response: Json; failed: boolean }> {
  try {
    return { response: await run(input), failed: false };
  } catch (error) {
    return { response: error instanceof Error ? error.message : String(error), failed: true };
  }
}
