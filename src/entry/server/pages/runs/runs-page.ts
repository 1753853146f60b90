/** Every run: searched, filtered, paged, the newest first. */
import { RUN_STATUSES, type RunStatus } from "../../../../runs/run.ts";
import type { RunSummary } from "../../../../runs/store.ts";
import { html, type Markup } from "../markup.ts";
import { moment } from "../moment.ts";
import { progressBar, RUN_WORDS, runBadge } from "./run-words.ts";

export interface RunFilter {
  readonly search: string;
  readonly status: RunStatus | "";
  readonly group: string;
  readonly archived: boolean;
}

export interface RunList {
  readonly runs: readonly RunSummary[];
  readonly filter: RunFilter;
  readonly next: string | undefined;
  /** Not the first page. */
  readonly isLater: boolean;
}

export function runsPage({ runs, filter, next, isLater }: RunList): Markup {
  return html`<div class="headline"><h1>Runs</h1></div>
  ${filterForm(filter)}
  <div id="runs" data-live>${
    runs.length === 0 ? nothing(filter) : html`<ol class="rows runs">${runs.map(row)}</ol>`
  }</div>
  <p class="paging">${isLater && html`<a href="${runsPath(filter)}">Newest</a>`} ${next !== undefined && html`<a rel="next" href="${runsPath(filter, next)}">Older</a>`}</p>`;
}

const nothing = (filter: RunFilter) =>
  isFiltered(filter)
    ? html`<div class="empty"><p><strong>No run fits.</strong></p><p class="quiet"><a href="/runs">Show all runs</a></p></div>`
    : html`<div class="empty"><p><strong>No run has been made here yet.</strong></p><p class="quiet"><code>holdfast run &lt;assignment&gt;</code> starts one; it appears here by itself.</p></div>`;

export function row(run: RunSummary): Markup {
  const { id, status, repo, group, problem } = run;
  return html`<li id="run-${id}" data-item tabindex="-1">
    ${runBadge(status)}
    <div class="row-call">${run.isPinned && html`<span class="pin" title="Pinned">★<span class="sr"> pinned</span></span> `}<a href="/runs/${id}" data-key="o"><bdi>${run.name ?? run.assignment ?? id}</bdi></a>
      <p class="quiet"><span class="id">${id}</span> · ${repo}${group !== null && html` · group <a href="/runs?${new URLSearchParams({ group }).toString()}">${group}</a>`}${run.parentRun !== null && html` · child of <a href="/runs/${run.parentRun}" class="id">${run.parentRun}</a>`}${run.isArchived && " · archived"}</p>
      ${problem !== undefined && html`<p class="problem">It cannot be read: ${problem}</p>`}</div>
    <div class="row-facts">${progressBar(run.tasksCompleted, run.tasksTotal)} ${run.updatedAt !== "" && moment(run.updatedAt)}</div>
  </li>`;
}

const filterForm = ({
  search,
  status,
  group,
  archived,
}: RunFilter) => html`<form class="filter" role="search" action="/runs">
  <div class="field wide"><label for="q">Search</label><input id="q" name="q" type="search" value="${search}" placeholder="Words in the name, assignment, group or repository, or an id" data-key="/"></div>
  <div class="field"><label for="status">Status</label><select id="status" name="status"><option value="">Any</option>${RUN_STATUSES.map(
    (name) => html`<option value="${name}"${name === status ? html` selected` : ""}>${RUN_WORDS[name].word}</option>`,
  )}</select></div>
  <div class="field"><label for="group">Group</label><input id="group" name="group" value="${group}" placeholder="Any"></div>
  <label class="check"><input type="checkbox" name="archived" value="true"${archived && html` checked`}> Archived too</label>
  <button>Search</button>
</form>`;

const isFiltered = ({ search, status, group, archived }: RunFilter) =>
  search !== "" || status !== "" || group !== "" || archived;

function runsPath({ search, status, group, archived }: RunFilter, cursor?: string): string {
  const wanted = Object.entries({ q: search, status, group, archived: archived ? "true" : "", cursor: cursor ?? "" });
  const query = new URLSearchParams(wanted.filter(([, value]) => value !== "")).toString();
  return query === "" ? "/runs" : `/runs?${query}`;
}
