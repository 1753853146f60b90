import type { Approval, Status } from "../../../approvals/approval.ts";
import { html, type Markup } from "./markup.ts";

/** A sign and a word with every colour, and what the status means for the call. */
export const STATUS_WORDS: Readonly<Record<Status, { sign: string; word: string; meaning: string }>> = {
  pending: { sign: "○", word: "Pending", meaning: "The call waits until people have decided." },
  approved: { sign: "✓", word: "Approved", meaning: "The call may run once. It has not come for it yet." },
  denied: { sign: "✕", word: "Denied", meaning: "The call did not run, and the agent was told why." },
  expired: { sign: "◔", word: "Expired", meaning: "Nobody decided in time. The call did not run." },
  withdrawn: { sign: "↶", word: "Withdrawn", meaning: "Whoever asked no longer wants to know. The call may not run." },
  used: { sign: "✓", word: "Used", meaning: "The call was approved and let through, once." },
};

export function statusBadge(status: Status): Markup {
  const { sign, word } = STATUS_WORDS[status];
  return html`<span class="badge" data-status="${status}"><span aria-hidden="true">${sign}</span> ${word}</span>`;
}

/** How many have said yes, of how many are needed; empty where one is enough. */
export function quorum({ votes, policy }: Pick<Approval, "votes" | "policy">): string {
  const { count } = policy.approvers;
  const yes = votes.filter(({ kind }) => kind === "approve").length;
  return count > 1 ? `${yes} of ${count} approvals` : "";
}
