/** A sub-agent asked by an agent, from the first hook to the last. What every agent and every binding does alike. */
import { randomUUID } from "node:crypto";
import type { EventOf } from "../core/event.ts";
import type { Session } from "./session.ts";

export interface Delegation {
  readonly target: string;
  readonly objective: string;
  readonly context?: string;
  readonly constraints?: string;
  readonly expectedOutput?: string;
  /** Id of the delegating call. */
  readonly toolUseId?: string;
  /** Says what is wrong with a target that a hook chose. */
  readonly targetProblem?: (target: string) => string | undefined;
  /** Runs the sub-agent on its own session, and returns what it hands back. Throwing means that it failed. */
  run(request: DelegatedRequest): Promise<string> | string;
  readonly signal?: AbortSignal;
  /** Errors by which an SDK suspends a run: they are passed on, the sub-agent is neither done nor failed. */
  readonly isSuspension?: (error: unknown) => boolean;
}

/** The request as hooks left it. */
export interface DelegatedRequest {
  readonly session: Session;
  readonly target: string;
  readonly objective: string;
  readonly context: string | null;
  readonly constraints: string | null;
  readonly expectedOutput: string | null;
  /** All of it as one text for the sub-agent. */
  readonly prompt: string;
}

export type Delegated =
  | { readonly status: "done"; readonly summary: string; readonly childSession: string }
  | { readonly status: "failed"; readonly summary: string; readonly childSession: string }
  | { readonly status: "blocked"; readonly summary: string };

export async function delegate(session: Session, delegation: Delegation): Promise<Delegated> {
  const { signal, toolUseId = "" } = delegation;
  const before = await session.fire("pre_delegation", { toolUseId, ...requested(delegation) }, signal);
  const blocked = (why: string): Delegated => ({ status: "blocked", summary: `Delegation blocked by hook: ${why}` });
  if (before.kind === "block") return blocked(before.reason);
  const { targetAgentId, objective, constraints, expectedOutput } = before.final;
  const problem = before.isRewritten ? delegation.targetProblem?.(targetAgentId) : undefined;
  if (problem !== undefined) return blocked(problem);

  const delegationId = randomUUID();
  const asked = { targetAgentId, objective, constraints, expectedOutput };
  const context = joined([before.final.context, ...before.context]);
  const started = await session.fire(
    "delegation_start",
    { delegationId, ...asked, context, status: "requested" },
    signal,
  );
  const child = session.child({ agent: targetAgentId });
  const request = { ...asked, context: joined([context, ...started.context]) };
  const told = (summary: string, more: readonly string[]) => joined([summary, ...more]) ?? "";
  const { targetAgentId: target, ...rest } = request;
  const ended = { delegationId, targetAgentId, objective };
  let summary: string;
  try {
    summary = await delegation.run({ session: child, target, ...rest, prompt: promptOf(request) });
  } catch (thrown) {
    if (delegation.isSuspension?.(thrown)) throw thrown;
    const error = thrown instanceof Error ? thrown.message : String(thrown);
    const errorType = thrown instanceof Error ? thrown.name : "Error";
    const after = await session.fire("delegation_failure", { ...ended, status: "failed", error, errorType }, signal);
    return { status: "failed", summary: told(error, after.context), childSession: child.id };
  }
  const done = { ...ended, childSessionId: child.id, status: "complete", summary, verificationPassed: false };
  const after = await session.fire("post_delegation", done, signal);
  return { status: "done", summary: told(summary, after.context), childSession: child.id };
}

type Request = Pick<
  EventOf<"pre_delegation">,
  "targetAgentId" | "objective" | "context" | "constraints" | "expectedOutput"
>;

const requested = (given: Delegation): Request => ({
  targetAgentId: given.target,
  objective: given.objective,
  context: given.context ?? null,
  constraints: given.constraints ?? null,
  expectedOutput: given.expectedOutput ?? null,
});

const joined = (texts: readonly (string | null)[]): string | null =>
  texts.filter((text) => text !== null && text !== "").join("\n\n") || null;

/** A request as one text. */
export const promptOf = ({ objective, context, constraints, expectedOutput }: Omit<Request, "targetAgentId">): string =>
  joined([
    objective,
    context && `Context:\n${context}`,
    constraints && `Constraints:\n${constraints}`,
    expectedOutput && `Hand back:\n${expectedOutput}`,
  ]) ?? "";
