/** One proposal beside what it would change. */
import { CONFIDENCES, MAX_NODE_BYTES } from "../../../../knowledge/base/node.ts";
import type { PlacedNode } from "../../../../knowledge/base/tree.ts";
import type { Proposal } from "../../../../knowledge/curation/queue.ts";
import type { Similar } from "../../../../knowledge/curation/similar.ts";
import type { KnowledgeBase } from "../../knowledge/knowledge-source.ts";
import type { Preview } from "../../knowledge/proposal-preview.ts";
import { diffView, textDifference } from "../edit-diff.ts";
import { hidden, textField } from "../form-parts.ts";
import type { Viewer } from "../frame.ts";
import { html, type Markup, visible } from "../markup.ts";
import { basePath, CONFIDENCE_WORDS, nodePath, proposalPath } from "./knowledge-frame.ts";
import { typeWord } from "./nodes-page.ts";
import { sourceView } from "./proposals-page.ts";

export interface ShownProposal {
  readonly base: KnowledgeBase;
  readonly proposal: Proposal;
  readonly similar: readonly Similar[];
  /** The node it would go into; undefined: a new one. */
  readonly into: PlacedNode | undefined;
  readonly folder: string;
  readonly preview: Preview;
  readonly left: number;
  readonly mayDecide: boolean;
}

export function proposalPage(shown: ShownProposal, viewer: Viewer): Markup {
  const { base, proposal, into, preview, left, mayDecide } = shown;
  const { candidate, source } = proposal;
  return html`<article class="run" data-item><p class="crumb"><a href="/knowledge">Knowledge</a> <span aria-hidden="true">›</span> <a href="${basePath(base)}/proposals">${base.name}, proposals</a></p>
  <h1>${candidate.title}</h1>
  <p class="state"><span class="badge" data-type="${candidate.type}">${typeWord(candidate.type)}</span> <span class="quiet">${CONFIDENCE_WORDS[candidate.confidence]}, from ${sourceView(source)}; ${left === 1 ? "the last that waits" : `one of ${left} that wait`}</span></p>
  ${targets(shown)}
  <div class="sides">
    <section aria-labelledby="proposed"><h2 id="proposed">Proposed</h2>
      <p><strong>${visible(candidate.description)}</strong></p><p>${candidate.tags.map((tag) => html`<span class="tag">${tag}</span> `)}</p>
      <div class="prose">${visible(candidate.body)}</div></section>
    <section aria-labelledby="change"><h2 id="change">${into ? html`What changes in <a href="${nodePath(base, into.id)}">${into.title}</a>` : "What it would add"}</h2>
      ${diffView({ path: `nodes/${preview.path}`, lines: textDifference(preview.before, preview.after) })}</section>
  </div>
  ${mayDecide ? decisionForm(shown, viewer) : html`<p class="undecidable">You can look. Approvers and admins decide.</p>`}
  </article>`;
}

const targets = ({ base, proposal, similar, into }: ShownProposal) =>
  similar.length > 0 &&
  html`<nav class="ranges targets" aria-label="Where it goes"><ul>
    <li><a href="${proposalPath(base, proposal.origin)}?into="${!into && html` aria-current="true"`}>A new node</a></li>
    ${similar.map(({ node, score }) => html`<li><a href="${proposalPath(base, proposal.origin)}?into=${encodeURIComponent(node.id)}"${into?.id === node.id && html` aria-current="true"`}>Into “${node.title}” <span class="quiet">${score === 1 ? "same name" : `${Math.round(score * 100)} % alike`}</span></a></li>`)}
  </ul></nav>`;

function decisionForm({ base, proposal, into, folder }: ShownProposal, viewer: Viewer): Markup {
  const { candidate, origin } = proposal;
  return html`<form class="stack curate" method="post" action="${proposalPath(base, origin)}">${hidden("csrf", viewer.csrf)}${into && hidden("into", into.id)}
    ${
      !into &&
      html`<details class="more" id="edit"><summary>Change it first</summary><div class="stack sheet">
      ${textField({ id: "title", name: "title", label: "Title", value: candidate.title, isRequired: true, maxLength: 500 })}
      ${textField({ id: "description", name: "description", label: "What it says, in a sentence", value: candidate.description, isRequired: true, maxLength: 1000 })}
      ${textField({ id: "tags", name: "tags", label: "Topics, with commas between them", value: candidate.tags.join(", ") })}
      ${textField({ id: "folder", name: "folder", label: "Folder, from nodes/ down", value: folder, hint: "empty: at the top" })}
      <div class="field"><label for="confidence">How sure it is</label><select id="confidence" name="confidence">${CONFIDENCES.map((one) => html`<option value="${one}"${one === candidate.confidence && html` selected`}>${CONFIDENCE_WORDS[one]}</option>`)}</select></div>
      <div class="field"><label for="body">All of it, in Markdown</label><textarea id="body" name="body" rows="10" maxlength="${MAX_NODE_BYTES}">
${candidate.body}</textarea></div></div></details>`
    }
    <div class="actions"><button class="approve" name="what" value="${into ? "merge" : "accept"}" data-key="a">${into ? "Merge it" : "Accept it"}</button>
      <button name="what" value="later">Keep it for later</button>
      <button class="refuse" name="what" value="reject" data-key="d">Reject it</button></div>
    <p class="quiet">Whatever you decide can be taken back. Nodes are files of the project: commit them as you do code.</p></form>`;
}
