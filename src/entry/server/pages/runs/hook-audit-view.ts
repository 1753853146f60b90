/** What hooks of a run said, and why: the newest first. */
import type { HookAudit } from "../../../../runs/run.ts";
import { html, type Markup, visible } from "../markup.ts";
import { moment } from "../moment.ts";
import { milliseconds } from "../session-page.ts";
import { outcomeBadge } from "./run-words.ts";

export function hookAuditView(audits: readonly HookAudit[]): Markup {
  return html`<ol class="timeline">${audits.toReversed().map(auditLine)}</ol>`;
}

export const auditLine = (audit: HookAudit): Markup => {
  const about = [audit.attempt !== null && `attempt ${audit.attempt}`, audit.task !== null && `task ${audit.task}`];
  return html`<li>${moment(audit.startedAt, "seconds")}<div>
    <p class="judged">${outcomeBadge(audit.outcome)} <span class="rule">${audit.hook}</span> <span class="quiet took">${[audit.phase, ...about].filter(Boolean).join(" · ")} · ${milliseconds(Date.parse(audit.endedAt) - Date.parse(audit.startedAt))}</span></p>
    ${audit.summary !== "" && html`<p class="reason">${visible(audit.summary)}</p>`}
  </div></li>`;
};
