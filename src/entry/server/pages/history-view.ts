/** The history of one approval, a sentence a line. */
import type { HistoryAction, HistoryEntry } from "../../../approvals/approval.ts";
import type { JsonObject } from "../../../core/json.ts";
import { html, type Markup } from "./markup.ts";
import { moment } from "./moment.ts";
import { type Names, personName } from "./person-name.ts";

const SENTENCES: Readonly<Record<HistoryAction, string>> = {
  requested: "asked",
  voted: "voted",
  approved: "it was approved",
  denied: "it was denied",
  expired: "the time was over: it expired",
  withdrawn: "it was withdrawn",
  used: "the call was let through",
  delegated: "handed the decision on",
  reminded: "approvers were reminded",
  escalated: "more people may decide",
  refused: "tried to decide, and could not",
  delivered: "a card was sent",
  "delivery-failed": "a card could not be sent",
};

export function historyView(history: readonly HistoryEntry[], names: Names): Markup {
  return html`<ol class="timeline">${history.map(
    (entry) =>
      html`<li data-action="${entry.action}">${moment(entry.at)}<div>${entry.by !== null && html`${personName(entry.by, names)}: `}${SENTENCES[entry.action]}${
        entry.via !== null && html` <span class="quiet">in ${entry.via}</span>`
      }${detailView(entry.detail)}</div></li>`,
  )}</ol>`;
}

function detailView(detail: JsonObject): Markup {
  const parts = Object.entries(detail).filter(([, value]) => value !== "" && value !== null);
  if (parts.length === 0) return html``;
  return html`<div class="quiet">${parts.map(([name, value]) => html`<span class="detail">${name}: ${typeof value === "string" ? value : JSON.stringify(value)}</span> `)}</div>`;
}
