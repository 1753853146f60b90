/** LangGraph's interrupts, in the form of LangChain's own human-in-the-loop: what shows its questions shows ours. */
import type { JudgedCall, PersonAnswer } from "../embed/tool-call.ts";
import { questionText } from "../embed/tool-call.ts";
import type { Interruptible } from "./interrupts.ts";

interface Runtime {
  readonly interrupt?: (value: unknown) => unknown;
}

export const graphInterrupts = (runtime: Runtime | undefined): Interruptible => ({
  interrupt(judged) {
    if (!runtime?.interrupt) throw new Error("this graph cannot be interrupted");
    return runtime.interrupt(shown(judged));
  },
  isSuspension,
  answerOf: personAnswer,
});

function shown(judged: JudgedCall) {
  const { pendingApproval, tool } = judged;
  return {
    ...(pendingApproval === undefined ? {} : { approval: pendingApproval }),
    actionRequests: [{ name: tool.name, args: tool.input, description: questionText(judged) }],
    reviewConfigs: [{ actionName: tool.name, allowedDecisions: ["approve", "reject"] }],
  };
}

function personAnswer(answer: unknown): PersonAnswer {
  const { decisions } = (answer ?? {}) as { decisions?: readonly { type?: string; message?: string }[] };
  const decision = decisions?.[0];
  if (decision?.type === "approve") return { allow: true };
  return { allow: false, ...(decision?.message === undefined ? {} : { reason: decision.message }) };
}

/** LangGraph suspends and steers by throwing: such errors are no failures. */
export const isSuspension = (error: unknown): boolean =>
  typeof error === "object" && error !== null && (error as { is_bubble_up?: unknown }).is_bubble_up === true;
