/** What waits for a person: proposals of sessions and documents; and the last decision, which can be taken back. */
import type { Decision } from "../../../../knowledge/curation/decisions.ts";
import type { Proposal, Queue } from "../../../../knowledge/curation/queue.ts";
import type { KnowledgeBase } from "../../knowledge/knowledge-source.ts";
import { buttonForm } from "../form-parts.ts";
import type { Viewer } from "../frame.ts";
import { html, type Markup } from "../markup.ts";
import { moment } from "../moment.ts";
import { basePath, nodePath, proposalPath } from "./knowledge-frame.ts";
import { typeWord } from "./nodes-page.ts";

export interface Waiting {
  readonly base: KnowledgeBase;
  readonly queue: Queue;
  readonly last: LastDecision | undefined;
  readonly mayDecide: boolean;
}

export interface LastDecision extends Decision {
  readonly origin: string;
}

export function proposalsView({ base, queue, last, mayDecide }: Waiting, viewer: Viewer): Markup {
  const { proposals, problems, pendingSessions, failedSessions } = queue;
  return html`<div id="last" data-live>${last && lastView(base, last, mayDecide, viewer)}</div>
  <div id="proposals" data-live>
  ${!mayDecide && html`<p class="undecidable">You can look. Approvers and admins decide.</p>`}
  ${(pendingSessions > 0 || failedSessions > 0) && html`<p class="quiet">${pendingSessions > 0 && `${pendingSessions} ${pendingSessions === 1 ? "session" : "sessions"} not looked at yet. `}${failedSessions > 0 && html`<span class="problem">${failedSessions} ${failedSessions === 1 ? "session" : "sessions"} failed: <code>holdfast knowledge status</code> says why.</span>`}</p>`}
  ${problems.length > 0 && html`<details class="more" id="queue-problems"><summary>${problems.length} cannot be used</summary><ul class="plain-list">${problems.map(({ where, message }) => html`<li class="problem"><code>${where.split("/").at(-1)}</code> ${message}</li>`)}</ul></details>`}
  ${
    proposals.length === 0
      ? html`<div class="empty"><p><strong>No proposal waits.</strong></p><p class="quiet">What sessions teach is proposed here; <code>holdfast knowledge bootstrap</code> proposes what the project's documents say.</p></div>`
      : html`<ol class="rows proposals">${proposals.map((proposal) => row(base, proposal))}</ol>`
  }</div>`;
}

const row = (base: KnowledgeBase, { origin, candidate, source, isLater }: Proposal) => html`<li data-item tabindex="-1">
  <span class="badge" data-type="${candidate.type}">${typeWord(candidate.type)}</span>
  <div class="row-call"><a href="${proposalPath(base, origin)}" data-key="o">${candidate.title}</a><p class="quiet">${candidate.description}</p></div>
  <div class="row-facts">${isLater && html`<span class="badge">kept for later</span> `}${sourceView(source)} ${source.at !== "" && moment(source.at)}</div>
</li>`;

export const sourceView = ({ kind, reference, host }: Proposal["source"]): Markup =>
  kind === "session"
    ? html`<a href="/sessions/${encodeURIComponent(reference.replace(/^session:/, ""))}">a session</a>${host !== undefined && ` of ${host}`}`
    : html`${kind === "docs" ? "the document " : "proposed by "}<code>${reference}</code>`;

const DECISION_WORDS: Readonly<Record<Decision["decision"], string>> = {
  accepted: "accepted",
  merged: "merged",
  rejected: "rejected",
  conflict: "set against a node",
  later: "kept for later",
};

const lastView = (base: KnowledgeBase, last: LastDecision, mayDecide: boolean, viewer: Viewer) =>
  html`<div class="last-decision"><p>The last one was <strong>${DECISION_WORDS[last.decision]}</strong> ${moment(last.at)}${last.nodeId !== undefined && html`: <a href="${nodePath(base, last.nodeId)}">${last.nodeId}</a>`}.</p>
  ${mayDecide && buttonForm(viewer, `${basePath(base)}/undo`, "Take it back", { origin: last.origin })}</div>`;
