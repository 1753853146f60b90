/** Which projects have knowledge, where there is more than one. */
import type { KnowledgeBase } from "../../knowledge/knowledge-source.ts";
import { html, type Markup } from "../markup.ts";
import { basePath } from "./knowledge-frame.ts";

export interface ShownBase {
  readonly base: KnowledgeBase;
  readonly nodes: number;
  readonly waiting: number;
}

export const basesPage = (bases: readonly ShownBase[]): Markup => html`<div class="headline"><h1>Knowledge</h1></div>
  ${
    bases.length === 0
      ? html`<div class="empty"><p><strong>No project on this machine keeps knowledge.</strong></p><p class="quiet">In a project, <code>holdfast knowledge init</code> begins a base.</p></div>`
      : html`<ul class="rows bases">${bases.map(
          ({ base, nodes, waiting }) =>
            html`<li data-item tabindex="-1"><div class="row-call"><a href="${basePath(base)}" data-key="o">${base.name}</a><p class="quiet"><code>${base.curator.places.root}</code></p></div><div class="row-facts">${nodes.toLocaleString("en-GB")} nodes${waiting > 0 && html` · <a href="${basePath(base)}/proposals">${waiting} proposals wait</a>`}</div></li>`,
        )}</ul>`
  }`;
