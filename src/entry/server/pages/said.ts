/** What became of the reader's last click. Told from how the approval stands, so that no link can make it up. */
import type { Approval } from "../../../approvals/approval.ts";
import type { RefusalCode } from "../../../approvals/transition.ts";
import { deedOf, whoAsks } from "./call-summary.ts";
import type { Viewer } from "./frame.ts";
import { html, type Markup } from "./markup.ts";
import { type Names, personName } from "./person-name.ts";
import { quorum, STATUS_WORDS } from "./status-badge.ts";

/** Codes that a click can be refused with; others have their sentence in the approval's state. */
const REFUSALS: Readonly<Partial<Record<RefusalCode, string>>> = {
  "not-pending": "it was decided before, or its time was over",
  "already-voted": "you have voted already",
  "self-approval": "the agent acts for you, and the rule wants somebody else to decide",
  "not-approver": "you are not among those who may decide it",
  "delegated-away": "the decision was handed on already",
  "other-organisation": "it belongs to another organisation",
};

export function said(approval: Approval, refusal: string | undefined, viewer: Viewer, names: Names): Markup | null {
  const what = html`<a href="/approvals/${approval.id}"><bdi>${whoAsks(approval.call)}</bdi>: <bdi>${deedOf(approval.call)}</bdi></a>`;
  if (refusal !== undefined && Object.hasOwn(REFUSALS, refusal))
    return html`<p class="said" data-kind="no">Your answer did not count: ${REFUSALS[refusal as RefusalCode]}. ${what} is <strong>${STATUS_WORDS[approval.status].word.toLowerCase()}</strong>.</p>`;
  const handed = approval.delegations.findLast(({ from }) => from === viewer.person.id);
  const mine = approval.votes.find(({ by }) => by === viewer.person.id);
  if (mine)
    return html`<p class="said">You ${mine.kind === "approve" ? "approved" : "denied"} ${what}.${approval.status === "pending" && ` ${quorum(approval)}: it waits for others.`}</p>`;
  return handed ? html`<p class="said">You handed ${what} to ${personName(handed.to, names)}.</p>` : null;
}
