/** One agent asks another: hooks may refuse or change what is asked, and speak to both sides. */
import { randomUUID } from "node:crypto";
import type { EventOf } from "../core/event.ts";
import { optional, text } from "../core/fields.ts";
import type { JsonObject } from "../core/json.ts";
import type { Conversation } from "./conversation.ts";
import { contextBlock, withAppended } from "./message.ts";
import type { Tool, ToolPlace } from "./tools/tool.ts";

/** What one agent asks of another. */
export type Delegation = Pick<
  EventOf<"pre_delegation">,
  "targetAgentId" | "objective" | "context" | "constraints" | "expectedOutput"
>;

export const DELEGATE = "delegate";

const INPUT = {
  target_agent_id: text("the agent to ask"),
  objective: text("what it is to do"),
  context: optional(text("what it needs to know")),
  constraints: optional(text("what it must not do")),
  expected_output: optional(text("what it is to hand back")),
};

export const delegateTool = (parent: Conversation): Tool => ({
  name: DELEGATE,
  description: `Asks another agent and returns what it hands back. Agents: ${parent.roleDescriptions}`,
  does: { kind: "delegate" },
  input: INPUT,
  run: (input, place) => delegate(parent, requested(input), place),
});

async function delegate(parent: Conversation, asked: Delegation, place: ToolPlace): Promise<string> {
  const { session, tell } = parent;
  const { callId, signal, ranWith } = place;

  // Nothing is recorded of a delegation that a hook blocks, and it is no error of the model's.
  const before = await session.fire("pre_delegation", { toolUseId: callId, ...asked }, signal);
  if (before.kind === "block") {
    tell({ type: "delegation_blocked", target: asked.targetAgentId, reason: before.reason });
    return `Delegation blocked by hook: ${before.reason}`;
  }

  // What hooks made of it is what is asked, stored, and checked again: they may have named another agent.
  const { targetAgentId, objective, context, constraints, expectedOutput } = before.final;
  const added = withAppended(context ?? "", before.context);
  const wanted: Delegation = { targetAgentId, objective, context: added || null, constraints, expectedOutput };
  ranWith(asInput(wanted));
  const role = parent.roleNamed(targetAgentId);
  if (objective.trim() === "") throw new Error("the objective is empty; say what the agent is to do");

  const delegation = randomUUID();
  tell({ type: "delegation_requested", delegation, ...wanted });
  const about = { delegationId: delegation, targetAgentId, objective };
  const started = await session.fire("delegation_start", { ...about, ...wanted, status: "requested" }, signal);

  const child = parent.child(targetAgentId, role);
  const outcome = await carriedOut(child, assignment(wanted, started.context), signal);
  signal.throwIfAborted();
  if ("error" in outcome) {
    const { error } = outcome;
    const failure = { ...about, status: "failed", error, errorType: errorTypeOf(error) };
    const failed = await session.fire("delegation_failure", failure, signal);
    const told = withAppended(error, failed.context);
    tell({ type: "delegation_failed", delegation, error: told });
    throw new Error(told);
  }
  const done = { ...about, childSessionId: child.session.id, status: "complete", summary: outcome.summary };
  const verificationPassed = role.verify !== undefined;
  const after = await session.fire("post_delegation", { ...done, verificationPassed }, signal);
  const summary = withAppended(outcome.summary, after.context);
  tell({ type: "delegation_finished", delegation, summary });
  return summary;
}

/** The child's whole life. A result that does not pass its verification is a failure. */
async function carriedOut(
  child: Conversation,
  prompt: string,
  signal: AbortSignal,
): Promise<{ readonly summary: string } | { readonly error: string }> {
  try {
    await child.start("startup");
    const { status, text } = await child.send(prompt, { signal, from: "agent" });
    if (status !== "completed") return { error: text };
    const problem = await child.role.verify?.(text);
    return problem === undefined ? { summary: text } : { error: `verification failed: ${problem}` };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  } finally {
    await child.end("delegation over");
  }
}

/** What hooks add stands in the child's first message, whatever else does. */
function assignment({ objective, context, constraints, expectedOutput }: Delegation, added: readonly string[]): string {
  const part = (title: string, value: string | null) => (value === null ? [] : [`${title}:\n${value}`]);
  return [
    ...part("Objective", objective),
    ...part("Context", context),
    ...part("Constraints", constraints),
    ...part("Expected output", expectedOutput),
    ...(added.length === 0 ? [] : [contextBlock(added)]),
  ].join("\n\n");
}

const requested = (input: JsonObject): Delegation => ({
  targetAgentId: String(input.target_agent_id),
  objective: String(input.objective),
  context: textOrNull(input.context),
  constraints: textOrNull(input.constraints),
  expectedOutput: textOrNull(input.expected_output),
});

const asInput = ({ targetAgentId, objective, context, constraints, expectedOutput }: Delegation): JsonObject => ({
  target_agent_id: targetAgentId,
  objective,
  context,
  constraints,
  expected_output: expectedOutput,
});

const textOrNull = (value: unknown): string | null => (typeof value === "string" ? value : null);

/** The predecessor's kinds, told by the words of the error. */
const ERROR_TYPES: readonly (readonly [words: RegExp, type: string])[] = [
  [/patch/i, "Patch Application Failure"],
  [/verif/i, "Verification Failure"],
  [/working directory|workdir/i, "Invalid Working Directory"],
  [/retries|after \d+ steps$/i, "Too Many Retries"],
];

const errorTypeOf = (error: string) => ERROR_TYPES.find(([words]) => words.test(error))?.[1] ?? "Unknown Error";
