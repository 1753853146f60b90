/** That a call waits for people, told as it happens to whoever runs the agent. */
import type { Approval } from "../approvals/approval.ts";
import { approversInWords } from "../approvals/rights.ts";
import type { ApprovalMode, ApprovalRule } from "../core/approval-rule.ts";
import type { JsonObject } from "../core/json.ts";

export interface AwaitingConfirmation {
  readonly type: "awaiting_confirmation";
  readonly approval: string;
  readonly session: string;
  readonly agent: string | null;
  readonly tool: string;
  /** The arguments as people see them: whole, secrets marked as redacted. */
  readonly input: JsonObject;
  readonly timeoutAt: string;
  readonly mode: ApprovalMode;
  /** Where people are asked besides the inbox; null: nowhere. In a channel, others decide: show it read-only. */
  readonly channel: string | null;
  /** Who may decide, in words. */
  readonly approvers: string;
}

export type OnAwaiting = (waiting: AwaitingConfirmation) => unknown;

/** What is stored is what counts: a listener that fails, or none, changes nothing. */
export function awaitingConfirmation(
  approval: Approval,
  { mode }: ApprovalRule,
  listener: OnAwaiting | undefined,
): void {
  if (!listener) return;
  const { id, call, expiresAt, channel } = approval;
  const waiting: AwaitingConfirmation = {
    type: "awaiting_confirmation",
    approval: id,
    session: call.session,
    agent: call.agent,
    tool: call.tool,
    input: call.input,
    timeoutAt: expiresAt,
    mode,
    channel,
    approvers: approversInWords(approval),
  };
  try {
    void Promise.resolve(listener(waiting)).catch(() => {});
  } catch {
    // As above.
  }
}
