/** Yes or no, or why the reader may say neither. */
import type { Approval, Person } from "../../../approvals/approval.ts";
import { rightToDecide } from "../../../approvals/rights.ts";
import { isCut, rawCallPath } from "./call-view.ts";
import type { Viewer } from "./frame.ts";
import { html, type Markup } from "./markup.ts";
import { moment } from "./moment.ts";
import { type Names, personName } from "./person-name.ts";
import { STATUS_WORDS } from "./status-badge.ts";

/** `from`: the page to come back to. */
export function decisionForm(approval: Approval, viewer: Viewer, names: Names, from: string): Markup {
  if (approval.status !== "pending") return settledView(approval, names);
  const mine = approval.votes.find(({ by }) => by === viewer.person.id);
  if (mine) {
    const left = approval.policy.approvers.count - approval.votes.length;
    return html`<p class="undecidable">You approved this. It waits for ${left} more.</p>`;
  }
  const right = rightToDecide(approval, viewer.person);
  if (!right.may) return html`<p class="undecidable">You cannot decide this: ${right.why}.</p>`;
  return html`${isCut(approval.call) && html`<p class="cut">This call is longer than the page shows. <a href="${rawCallPath(approval.id)}">Read the whole call</a> first.</p>`}
  <form class="decide" method="post" action="/approvals/${approval.id}/decide" data-swap>
    ${hidden("csrf", viewer.csrf)}${hidden("from", from)}
    <button class="approve" name="decision" value="approve" data-key="a">Approve</button>
    <details class="deny">
      <summary data-key="d">Deny…</summary>
      <div class="deny-reason">
        <label for="reason-${approval.id}">Why not? The agent is told.</label>
        <textarea id="reason-${approval.id}" name="reason" rows="3" maxlength="2000"></textarea>
        <button class="refuse" name="decision" value="deny">Deny</button>
      </div>
    </details>
  </form>`;
}

export function settledView(approval: Approval, names: Names): Markup {
  const { word, meaning } = STATUS_WORDS[approval.status];
  const last = approval.votes.at(-1);
  const isVoted = last !== undefined && approval.status !== "expired" && approval.status !== "withdrawn";
  return html`<div class="settled" data-status="${approval.status}">
    <p><strong>${word}</strong> ${isVoted ? html`by ${personName(last.by, names)}` : ""} ${approval.decidedAt && moment(approval.decidedAt)}</p>
    ${isVoted && last.reason !== "" && html`<blockquote>${last.reason}</blockquote>`}
    <p class="quiet">${meaning}</p>
  </div>`;
}

/** Hands the decision to somebody else; nothing where there is nobody or the reader may not. */
export function delegationForm(approval: Approval, viewer: Viewer, people: readonly Person[]): Markup {
  const isOpen = approval.status === "pending" && rightToDecide(approval, viewer.person).may;
  const hasVoted = approval.votes.some(({ by }) => by === viewer.person.id);
  const others = people.filter(({ id }) => id !== viewer.person.id);
  if (!isOpen || hasVoted || others.length === 0) return html``;
  return html`<details class="more"><summary>Hand this decision to somebody else</summary>
    <form class="delegate" method="post" action="/approvals/${approval.id}/delegate" data-swap>
      ${hidden("csrf", viewer.csrf)}
      <label for="to">To whom? You can then no longer decide it.</label>
      <select id="to" name="to" required>
        <option value="">Choose a person</option>
        ${others.map(({ id, name }) => html`<option value="${id}">${name === id ? id : `${name} (${id})`}</option>`)}
      </select>
      <button>Hand over</button>
    </form></details>`;
}

const hidden = (name: string, value: string) => html`<input type="hidden" name="${name}" value="${value}">`;
