import type { Approval } from "../../../approvals/approval.ts";
import { approvalCard } from "./approval-card.ts";
import type { Viewer } from "./frame.ts";
import { html, type Markup } from "./markup.ts";
import type { Names } from "./person-name.ts";

export interface Inbox {
  readonly approvals: readonly Approval[];
  readonly names: Names;
  readonly search: string;
  /** What became of the reader's last click. */
  readonly said: Markup | null;
  /** The page with older ones. */
  readonly older: string | undefined;
}

export function inboxPage({ approvals, names, search, said, older }: Inbox, viewer: Viewer, now: Date): Markup {
  const mostUrgentFirst = [...approvals].sort((a, b) => a.expiresAt.localeCompare(b.expiresAt));
  return html`<div class="inbox"><div class="headline"><h1>Inbox</h1>${searchForm(search)}</div>
  <div id="said">${said}</div>
  <div id="cards" class="cards" data-list>${mostUrgentFirst.map((approval) => approvalCard(approval, viewer, names, now))}</div>
  <div id="nothing" data-live>${approvals.length === 0 && nothing(search)}</div>
  <div id="older" data-live>${older !== undefined && html`<p class="paging">There are older requests. <a href="${older}">Show them</a></p>`}</div></div>`;
}

const nothing = (search: string) =>
  search === ""
    ? html`<div class="empty"><p><strong>Nothing waits for you.</strong></p><p class="quiet">When a call needs somebody's yes, it appears here by itself. What was decided is in the <a href="/history">history</a>.</p></div>`
    : html`<div class="empty"><p><strong>No pending request has “${search}” in it.</strong></p><p class="quiet"><a href="/inbox">Show all pending requests</a>, or <a href="/history?q=${encodeURIComponent(search)}">search the history</a>.</p></div>`;

const searchForm = (search: string) =>
  html`<form class="search" role="search" action="/inbox"><label class="sr" for="q">Search pending requests</label><input id="q" name="q" type="search" value="${search}" placeholder="Search" data-key="/"></form>`;
