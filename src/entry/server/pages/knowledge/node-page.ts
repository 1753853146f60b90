/** One node: what it says, where it comes from, and what it has to do with. */
import { redact } from "../../../../core/redact.ts";
import type { PlacedNode } from "../../../../knowledge/base/tree.ts";
import type { Graph } from "../../knowledge/graph.ts";
import type { KnowledgeBase } from "../../knowledge/knowledge-source.ts";
import { html, type Markup, visible } from "../markup.ts";
import { graphView } from "./graph-view.ts";
import { basePath, CONFIDENCE_WORDS, nodePath } from "./knowledge-frame.ts";
import { tagsView, typeWord } from "./nodes-page.ts";

export interface ShownNode {
  readonly base: KnowledgeBase;
  readonly node: PlacedNode;
  readonly all: readonly PlacedNode[];
  /** Of it and what it has to do with. */
  readonly graph: Graph;
}

export function nodePage({ base, node, all, graph }: ShownNode): Markup {
  const referring = all.filter(({ relatesTo, dependsOn }) => [...relatesTo, ...dependsOn].includes(node.id));
  const file = node.file.slice(base.curator.places.root.length + 1);
  return html`<article class="run"><p class="crumb"><a href="/knowledge">Knowledge</a> <span aria-hidden="true">›</span> <a href="${basePath(base)}">${base.name}</a> <span aria-hidden="true">›</span> <span class="id">${node.id}</span></p>
  <h1>${node.title}</h1>
  <div id="node" data-live>
  <p class="state"><span class="badge" data-type="${node.type}">${typeWord(node.type)}</span> <span class="quiet">${CONFIDENCE_WORDS[node.confidence]}</span> ${tagsView(base, node)}</p>
  <div class="columns"><div class="call">
    <p><strong>${visible(node.description)}</strong></p>
    <div class="prose">${visible(node.body)}</div>
  </div>
  <aside aria-label="About this node">
    ${linksView("Depends on", base, node.dependsOn, all)}${linksView("Has to do with", base, node.relatesTo, all)}
    ${linksView(
      "Named by",
      base,
      referring.map(({ id }) => id),
      all,
    )}
    ${node.derivedFrom.length > 0 && html`<section><h2>Learned from</h2><ul class="plain-list">${node.derivedFrom.map((one) => html`<li><code>${visible(one)}</code></li>`)}</ul></section>`}
    <section><h2>File</h2><p><code>${file}</code></p></section>
  </aside></div>
  ${graph.edges.length > 0 && html`<section><h2>Around it</h2>${graphView(base, graph, `What ${node.title} has to do with`, node.id)}</section>`}
  </div></article>`;
}

function linksView(title: string, base: KnowledgeBase, ids: readonly string[], all: readonly PlacedNode[]): Markup {
  if (ids.length === 0) return html``;
  const known = new Map(all.map((node) => [node.id, node]));
  return html`<section><h2>${title}</h2><ul class="plain-list">${ids.map((id) => {
    const node = known.get(id);
    return html`<li>${node ? html`<a href="${nodePath(base, id)}">${redact(node.title)}</a>` : html`<span class="problem"><code>${id}</code> is not there</span>`}</li>`;
  })}</ul></section>`;
}
