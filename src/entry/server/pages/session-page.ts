/** What happened in one session: calls, decisions of hooks, and what people were asked, in the order of time. */
import type { Approval } from "../../../approvals/approval.ts";
import type { AuditRow } from "../../../approvals/store.ts";
import { auditDetails } from "./audit-details.ts";
import { deedOf, gist, shortened, whoAsks } from "./call-summary.ts";
import { html, type Markup } from "./markup.ts";
import { moment } from "./moment.ts";
import { type Names, personName } from "./person-name.ts";
import { statusBadge } from "./status-badge.ts";

export interface SessionPast {
  readonly session: string;
  readonly approvals: readonly Approval[];
  readonly rows: readonly AuditRow[];
  readonly names: Names;
  /** The page with what was before. */
  readonly earlier: string | undefined;
}

export function sessionPage({ session, approvals, rows, names, earlier }: SessionPast): Markup {
  const moments = [
    ...approvals.map((approval) => ({ at: approval.requestedAt, line: approvalLine(approval, names) })),
    ...rows.map((row) => ({ at: row.at, line: auditLine(row) })),
  ].sort((a, b) => a.at.localeCompare(b.at));
  return html`<p class="crumb"><a href="/history">History</a> <span aria-hidden="true">›</span> session</p>
  <h1>Session <span class="id">${session}</span></h1>
  <p class="quiet">${approvals.length} ${approvals.length === 1 ? "approval" : "approvals"} and ${rows.length} ${rows.length === 1 ? "decision" : "decisions"} of hooks on this page, the oldest first.</p>
  ${earlier !== undefined && html`<p class="paging"><a href="${earlier}">Earlier decisions</a></p>`}
  ${
    moments.length === 0
      ? html`<div class="empty"><p><strong>Nothing is recorded of this session.</strong></p></div>`
      : html`<ol class="timeline session" id="moments" data-live>${moments.map(({ line }) => line)}</ol>`
  }`;
}

function approvalLine(approval: Approval, names: Names): Markup {
  const last = approval.votes.at(-1);
  return html`<li class="asked" data-status="${approval.status}">${moment(approval.requestedAt, "seconds")}<div>
    <p>${statusBadge(approval.status)} <a href="/approvals/${approval.id}"><bdi>${whoAsks(approval.call)}</bdi> asked to <bdi>${deedOf(approval.call)}</bdi></a></p>
    <code class="gist">${shortened(gist(approval.call).replace(/\s+/g, " "), 200)}</code>
    ${last && html`<p class="quiet">${last.kind === "approve" ? "approved" : "denied"} by ${personName(last.by, names)} ${moment(last.at)}${last.reason !== "" && html`: ${last.reason}`}</p>`}
  </div></li>`;
}

function auditLine(row: AuditRow): Markup {
  const { reasons, hooks, command, delivered } = auditDetails(row);
  const failures = hooks.filter(({ failure }) => failure !== "");
  return html`<li data-decision="${row.decision}">${moment(row.at, "seconds")}<div>
    <p class="judged"><span class="badge" data-decision="${row.decision}">${decisionWord(row.decision)}</span> ${delivered !== "" && html`<span class="quiet delivered">delivered as ${delivered}</span>`} <span class="tool">${row.tool ?? row.event}</span> ${command !== "" && html`<code class="gist">${shortened(command.replace(/\s+/g, " "), 200)}</code>`} <span class="quiet took">${row.tool !== null && html`<span class="event">${row.event}</span> · `}${milliseconds(row.ms)}</span></p>
    ${reasons.map(({ hook, rule, text }) => html`<p class="quiet"><span class="rule">${rule || hook}</span> ${shortened(text, 400)}</p>`)}
    ${failures.map(({ hook, failure }) => html`<p class="problem">${hook} failed: ${shortened(failure, 400)}</p>`)}
  </div></li>`;
}

/** The engine's words; `none` is what it says when no hook minded. */
export const decisionWord = (decision: string): string => (decision === "none" ? "no objection" : decision);

export const milliseconds = (ms: number): string => `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`;
