/** The log of a run, page by page: every event, numbered without a gap. */
import type { RunEvent } from "../../../../runs/store.ts";
import type { RunView } from "../../runs/seen-run.ts";
import { shortened } from "../call-summary.ts";
import { html, type Markup, visible } from "../markup.ts";
import { moment } from "../moment.ts";
import { titleOf } from "./run-page.ts";

export interface LogPage {
  readonly run: RunView;
  readonly events: readonly RunEvent[];
  readonly from: number;
  readonly next: number | undefined;
  readonly pageSize: number;
}

export function logPage({ run, events, from, next, pageSize }: LogPage): Markup {
  const path = `/runs/${run.id}/log`;
  return html`<p class="crumb"><a href="/runs">Runs</a> <span aria-hidden="true">›</span> <a href="/runs/${run.id}">${titleOf(run)}</a> <span aria-hidden="true">›</span> log</p>
  <h1>Log</h1>
  <div id="log" data-live>${
    events.length === 0
      ? html`<div class="empty"><p><strong>Nothing is in the log from here on.</strong></p></div>`
      : html`<ol class="timeline">${events.map(logLine)}</ol>`
  }</div>
  <p class="paging">${from > 1 && html`<a rel="prev" href="${path}?from=${Math.max(1, from - pageSize)}">Earlier</a>`} ${next !== undefined && html`<a rel="next" href="${path}?from=${next}">Later</a>`}</p>`;
}

const MAX_VALUE = 2_000;

export function logLine({ cursor, at, type, source, data }: RunEvent): Markup {
  const parts = Object.entries(data).filter(([, value]) => value !== null && value !== "");
  return html`<li>${moment(at, "seconds")}<div>
    <p class="judged"><span class="rule">${type}</span> <span class="quiet took">${source} · ${cursor}</span></p>
    ${parts.length > 0 && html`<p class="quiet">${parts.map(([name, value]) => html`<span class="detail">${name}: ${visible(shortened(typeof value === "string" ? value : JSON.stringify(value), MAX_VALUE))}</span> `)}</p>`}
  </div></li>`;
}
