/** Every approval there was: searched, filtered, paged. */
import { type Approval, STATUSES, type Status } from "../../../approvals/approval.ts";
import { deedOf, gist, shortened, whoAsks } from "./call-summary.ts";
import { html, type Markup } from "./markup.ts";
import { moment } from "./moment.ts";
import { type Names, personName } from "./person-name.ts";
import { STATUS_WORDS, statusBadge } from "./status-badge.ts";

export interface HistoryFilter {
  readonly search: string;
  readonly status: Status | "";
  readonly tool: string;
  readonly agent: string;
}

export interface PastApprovals {
  readonly approvals: readonly Approval[];
  readonly names: Names;
  readonly filter: HistoryFilter;
  readonly next: string | undefined;
  /** Not the first page. */
  readonly isLater: boolean;
}

export function historyPage({ approvals, names, filter, next, isLater }: PastApprovals): Markup {
  return html`<div class="headline"><h1>History</h1></div>
  ${filterForm(filter)}
  ${
    approvals.length === 0
      ? html`<div class="empty"><p><strong>Nothing found.</strong></p><p class="quiet">${isFiltered(filter) ? html`<a href="/history">Show everything</a>` : "No call has needed an approval yet."}</p></div>`
      : html`<ol class="rows" data-list>${approvals.map((approval) => row(approval, names))}</ol>`
  }
  <p class="paging">${isLater && html`<a href="${historyPath(filter)}">Newest</a>`} ${next !== undefined && html`<a rel="next" href="${historyPath(filter, next)}">Older</a>`}</p>`;
}

function row(approval: Approval, names: Names): Markup {
  const { id, call, status } = approval;
  const last = approval.votes.at(-1);
  return html`<li id="row-${id}" data-live data-version="${approval.version}" data-item tabindex="-1">
    ${statusBadge(status)}
    <div class="row-call"><a href="/approvals/${id}" data-key="o"><bdi>${whoAsks(call)}</bdi> wanted to <bdi>${deedOf(call)}</bdi></a>
      <code class="gist">${shortened(gist(call).replace(/\s+/g, " "), 160)}</code></div>
    <div class="row-facts"><span>${last ? html`${last.kind === "approve" ? "approved" : "denied"} by ${personName(last.by, names)}` : ""}</span> ${moment(approval.decidedAt ?? approval.requestedAt)}</div>
  </li>`;
}

const filterForm = ({
  search,
  status,
  tool,
  agent,
}: HistoryFilter) => html`<form class="filter" role="search" action="/history">
  <div class="field wide"><label for="q">Search</label><input id="q" name="q" type="search" value="${search}" placeholder="Words in the call, the rule, reasons or names" data-key="/"></div>
  <div class="field"><label for="status">Status</label><select id="status" name="status"><option value="">Any</option>${STATUSES.map(
    (name) =>
      html`<option value="${name}"${name === status ? html` selected` : ""}>${STATUS_WORDS[name].word}</option>`,
  )}</select></div>
  <div class="field"><label for="tool">Tool</label><input id="tool" name="tool" value="${tool}" placeholder="Any"></div>
  <div class="field"><label for="agent">Agent</label><input id="agent" name="agent" value="${agent}" placeholder="Any"></div>
  <button>Search</button>
</form>`;

const isFiltered = (filter: HistoryFilter) => Object.values(filter).some((value) => value !== "");

function historyPath({ search, status, tool, agent }: HistoryFilter, cursor?: string): string {
  const wanted = Object.entries({ q: search, status, tool, agent, cursor: cursor ?? "" });
  const query = new URLSearchParams(wanted.filter(([, value]) => value !== "")).toString();
  return query === "" ? "/history" : `/history?${query}`;
}
