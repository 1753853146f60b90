/** LangGraph's interrupts, in the form of LangChain's own human-in-the-loop: what shows its questions shows ours. */
import { hash } from "node:crypto";
import { canonicalJson, type JsonObject } from "../core/json.ts";
import type { JudgedCall, PersonAnswer } from "../embed/tool-call.ts";
import { questionText } from "../embed/tool-call.ts";
import type { Interruptible } from "./interrupts.ts";

export interface Runtime {
  readonly interrupt?: (value: unknown) => unknown;
  /** One for all calls of a step of the graph. */
  readonly configurable?: { readonly checkpoint_ns?: string };
}

const callsOfStep = new WeakMap<object, Set<object>>();

/** Before anything is waited for: then every call of a step is known by the time one of them asks. */
export function knowInStep(toolCall: object, { configurable }: Runtime = {}): void {
  if (configurable) callsOfStep.set(configurable, (callsOfStep.get(configurable) ?? new Set()).add(toolCall));
}

export const graphInterrupts = (runtime: Runtime | undefined): Interruptible => ({
  interrupt(judged) {
    if (!runtime?.interrupt) throw new Error("this graph cannot be interrupted");
    if ((callsOfStep.get(runtime.configurable ?? {})?.size ?? 0) > 1) throw new Error(SHARED_STEP);
    return runtime.interrupt(shown(judged));
  },
  isSuspension,
  answerOf: personAnswer,
});

/** LangGraph hands the answers of a step to whichever of its calls asks first. */
const SHARED_STEP =
  'this graph runs several calls in one step, where an answer could be taken for another call\'s. Create the agent with version "v2", or let the model make one call at a time.';

/**
 * A model may give a call no id: to wait, it is then known by the step it is in, which is the same when it goes on, and
 * what it is. By a digest of that: an id is recorded, and an input may be a secret.
 */
export const waitingIdOf = (
  { id, name, args }: { readonly id?: string; readonly name: string; readonly args: JsonObject },
  runtime: Runtime | undefined,
): string => id || hash("sha256", canonicalJson([runtime?.configurable?.checkpoint_ns ?? "", name, args]), "hex");

function shown(judged: JudgedCall) {
  const { pendingApproval, tool } = judged;
  return {
    ...(pendingApproval === undefined ? {} : { approval: pendingApproval }),
    actionRequests: [{ name: tool.name, args: tool.input, description: questionText(judged) || ASKED_NO_MORE }],
    reviewConfigs: [{ actionName: tool.name, allowedDecisions: ["approve", "reject"] }],
  };
}

/** It was put to a person, and its answer got lost; what takes its place must not be the tool's. */
const ASKED_NO_MORE = "Hooks asked about this call before and do so no more: any answer lets it go on.";

function personAnswer(answer: unknown): PersonAnswer {
  const { decisions } = (answer ?? {}) as { decisions?: readonly { type?: string; message?: string }[] };
  const decision = decisions?.[0];
  if (decision?.type === "approve") return { allow: true };
  return { allow: false, ...(decision?.message === undefined ? {} : { reason: decision.message }) };
}

/** LangGraph suspends and steers by throwing: such errors are no failures. */
export const isSuspension = (error: unknown): boolean =>
  typeof error === "object" && error !== null && (error as { is_bubble_up?: unknown }).is_bubble_up === true;
