/** One tool call of an agent, from the first hook to the last. What every agent and every binding does alike. */
import type { Json, JsonObject } from "../core/json.ts";
import type { EngineHost } from "./engine-host.ts";
import type { Fired, Session, ToolUse } from "./session.ts";

export interface CalledTool extends ToolUse {
  /** Runs the tool with the input as hooks left it. Throwing means that it failed. */
  run(input: JsonObject): Promise<Json> | Json;
  /** The agent itself would ask a person before it runs this. */
  readonly needsPermission?: boolean;
  readonly signal?: AbortSignal;
}

export interface Question {
  readonly session: Session;
  readonly tool: ToolUse;
  /** Why a person is asked. */
  readonly reason: string;
  readonly signal?: AbortSignal;
}

/** A person's answer. */
export type PersonAnswer = { readonly allow: true } | { readonly allow: false; readonly reason?: string };

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
  const { name, input, id, metadata, signal } = called;
  const given: ToolUse = { name, input, ...(id === undefined ? {} : { id }), ...(metadata ? { metadata } : {}) };
  const before = await session.fire("pre_tool_use", { tool: given }, signal);
  const tool = { ...given, input: before.final.tool.input };
  const blocked = (reason: string, more: readonly string[] = []): ToolOutcome => ({
    status: "blocked",
    input: tool.input,
    reason,
    context: [...before.context, ...more],
  });
  if (before.kind === "block") return blocked(before.reason);
  // The predicate of a tool was asked about the input as the model wrote it; what will run may be another.
  const confirms = before.isRewritten && host.metadataOf(name, tool.input).requires_confirmation === true;
  if (before.kind === "ask" || confirms || (called.needsPermission && before.kind !== "allow")) {
    const refusal = await refusalOf(session, host, tool, before, signal);
    if (refusal !== undefined) return blocked(refusal);
  }
  const startedMs = performance.now();
  const { response, failed } = await ran(called, tool.input);
  const durationMs = Math.round(performance.now() - startedMs);
  const seen = { tool, response, failed, outcomeUnknown: false, durationMs };
  const after = await session.fire("post_tool_use", seen, signal);
  const context = [...before.context, ...after.context];
  // the block replaces what the model sees; that the tool ran stays in the records.
  if (after.kind === "block")
    return { status: "ran", input: tool.input, output: `Error: ${after.reason}`, failed: true, context };
  return { status: "ran", input: tool.input, output: after.final.response, failed, context };
}

/** Why the call may not run; undefined: it may. */
async function refusalOf(
  session: Session,
  host: EngineHost,
  tool: ToolUse,
  before: Fired<"pre_tool_use">,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  const asked = await session.fire("permission_request", { tool }, signal);
  if (asked.kind === "block") return asked.reason;
  if (asked.kind === "allow") return undefined;
  const reason = before.reason || `${tool.name} needs a person's permission`;
  if (!host.ask) return `${reason} Nobody is there to be asked; do something else, or stop and say what you need.`;
  const answer = await host.ask({ session, tool, reason, ...(signal ? { signal } : {}) });
  await host.recordAnswer(asked.final, answer);
  return answer.allow ? undefined : (answer.reason ?? `a person said no to ${tool.name}`);
}

async function ran({ run }: CalledTool, input: JsonObject): Promise<{ response: Json; failed: boolean }> {
  try {
    return { response: await run(input), failed: false };
  } catch (error) {
    return { response: error instanceof Error ? error.message : String(error), failed: true };
  }
}
