/** One request with all that is known of it. */
import type { Approval, HistoryEntry, Person } from "../../../approvals/approval.ts";
import { deedOf, whoAsks } from "./call-summary.ts";
import { callView, effectsView, rawCallPath } from "./call-view.ts";
import { decisionForm, delegationForm } from "./decision-form.ts";
import type { Viewer } from "./frame.ts";
import { historyView } from "./history-view.ts";
import { html, type Markup, visible } from "./markup.ts";
import { countdown, moment } from "./moment.ts";
import { type Names, namesOf, personName } from "./person-name.ts";
import { policyInWords } from "./policy-words.ts";
import { quorum, statusBadge } from "./status-badge.ts";

export interface ApprovalDetails {
  readonly approval: Approval;
  readonly history: readonly HistoryEntry[];
  readonly people: readonly Person[];
  readonly said: Markup | null;
}

export function approvalPage({ approval, history, people, said }: ApprovalDetails, viewer: Viewer, now: Date): Markup {
  const { id, call, status } = approval;
  const names = namesOf(people);
  return html`<article class="request" data-item>
    <p class="crumb"><a href="/inbox">Inbox</a> <span aria-hidden="true">›</span> <span class="id">${id}</span></p>
    <h1><bdi class="asker">${whoAsks(call)}</bdi> wants to <bdi class="deed">${deedOf(call)}</bdi></h1>
    <div id="state" class="state" data-live data-version="${approval.version}">${statusBadge(status)} ${status === "pending" && countdown(approval.expiresAt, now)} <span class="quiet">asked ${moment(approval.requestedAt)}</span></div>
    <div id="said">${said}</div>
    <div class="columns">
      <div class="call">
        <p class="why"><span class="rule">${approval.rule}</span> ${visible(approval.reason)}</p>
        ${effectsView(call)}
        ${callView(approval)}
        <p class="quiet"><a href="${rawCallPath(id)}">The whole call as JSON</a>. Secrets were taken out before it was stored.</p>
      </div>
      <aside aria-label="Decision">
        <section id="decision" class="decision" data-live data-version="${approval.version}">
          <h2>Decision</h2>
          ${quorum(approval) !== "" && html`<p class="votes"><strong>${quorum(approval)}</strong></p>`}
          ${votesView(approval, names)}
          ${decisionForm(approval, viewer, names, `/approvals/${id}`)}
        </section>
        <div id="delegation" class="delegation" data-live>${delegationForm(approval, viewer, people)}</div>
        <section><h2>Who asks</h2>${askerView(approval, names)}</section>
        <section><h2>Who decides</h2><ul class="plain-list">${policyInWords(approval).map((line) => html`<li>${line}</li>`)}</ul>${deliveryView(approval)}</section>
      </aside>
    </div>
    <section id="history" class="past" data-live><h2>What happened</h2>${historyView(history, names)}</section>
  </article>`;
}

function votesView({ votes, delegations }: Approval, names: Names): Markup {
  if (votes.length + delegations.length === 0) return html``;
  return html`<ul class="plain-list">
    ${votes.map(({ by, kind, reason, at }) => html`<li>${personName(by, names)} ${kind === "approve" ? "approved" : "denied"} ${moment(at)}${reason !== "" && html`<blockquote>${reason}</blockquote>`}</li>`)}
    ${delegations.map(({ from, to, at }) => html`<li>${personName(from, names)} handed it to ${personName(to, names)} ${moment(at)}</li>`)}
  </ul>`;
}

function askerView({ call, digest }: Approval, names: Names): Markup {
  const facts: readonly (readonly [string, Markup | string])[] = [
    ["Agent", call.agent ?? "not named"],
    ["On behalf of", call.initiator === null ? "nobody named" : personName(call.initiator, names)],
    ["Host", call.host],
    ["Tool", html`<code>${call.tool}</code>${call.kind !== call.tool && ` (${call.kind})`}`],
    ["Directory", html`<code>${visible(call.cwd)}</code>`],
    ["Session", html`<a href="/sessions/${encodeURIComponent(call.session)}">${call.session}</a>`],
    ["Call", html`<code title="Digest of the final call: only this very call may run">${digest.slice(0, 16)}</code>`],
  ];
  return html`<dl class="facts">${facts.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
}

const DELIVERY_WORDS = {
  none: "",
  waiting: "A card is on its way to the channel",
  delivered: "A card was sent to the channel",
  failed: "The card could not be sent to the channel",
} as const;

function deliveryView({ channel, delivery }: Approval): Markup {
  if (channel === null) return html`<p class="quiet">Asked here and in the terminal only.</p>`;
  return html`<p class="${delivery.state === "failed" ? "problem" : "quiet"}">${DELIVERY_WORDS[delivery.state]} <code>${channel}</code>${delivery.detail !== "" && html`: ${delivery.detail}`}.</p>`;
}
