/** A graph as a picture of links: every node can be reached with the keyboard, and what it says is in its name. */
import { redact } from "../../../../core/redact.ts";
import { type Graph, type GraphNode, HEIGHT, WIDTH } from "../../knowledge/graph.ts";
import type { KnowledgeBase } from "../../knowledge/knowledge-source.ts";
import { shortened } from "../call-summary.ts";
import { html, type Markup } from "../markup.ts";
import { basePath, nodePath } from "./knowledge-frame.ts";

/** With more nodes than this only those with most edges have their names beside them. */
const ALL_NAMED = 40;
const MAX_NAME = 30;

export function graphView(base: KnowledgeBase, { nodes, edges }: Graph, label: string, chosen?: string): Markup {
  const named = new Set(
    nodes
      .toSorted((one, other) => other.degree - one.degree)
      .slice(0, ALL_NAMED)
      .map(({ node }) => node.id),
  );
  return html`<div class="scroll graph-frame" tabindex="0" role="region" aria-label="${label}"><svg class="graph" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="group" aria-label="${label}">
    <g aria-hidden="true">${edges.map(({ from, to, kind }) => html`<line class="edge" data-kind="${kind}" x1="${from.x}" y1="${from.y}" x2="${to.x}" y2="${to.y}"/>`)}</g>
    ${nodes.map((node) => nodeView(base, node, named.has(node.node.id), node.node.id === chosen))}
  </svg></div>`;
}

function nodeView(base: KnowledgeBase, { node, x, y, degree }: GraphNode, isNamed: boolean, isChosen: boolean): Markup {
  const radius = 6 + Math.min(10, degree * 1.5);
  const name = redact(node.title);
  return html`<a class="graph-node" href="${nodePath(base, node.id)}" data-type="${node.type}"${isChosen && html` data-chosen aria-current="true"`}${!isNamed && html` data-quiet`}><title>${name}</title><circle cx="${x}" cy="${y}" r="${radius}"/><text x="${x}" y="${y + radius + 14}" text-anchor="middle">${shortened(name, MAX_NAME)}</text></a>`;
}

export function graphPage(base: KnowledgeBase, graph: Graph, search: string): Markup {
  return html`<form class="filter graph-filter" role="search" action="${basePath(base)}/graph">
    <div class="field wide"><label for="q">Search</label><input id="q" name="q" type="search" value="${search}" placeholder="Only nodes with these words, and what they have to do with" data-key="/"></div>
    <button>Search</button></form>
  <div id="graph" data-live>${
    graph.nodes.length === 0
      ? html`<div class="empty"><p><strong>Nothing found.</strong></p><p class="quiet"><a href="${basePath(base)}/graph">Show all nodes</a></p></div>`
      : html`${graphView(base, graph, `Graph of ${graph.nodes.length} nodes`)}
      <p class="legend-line quiet"><span class="dot" data-type="practice"></span> how we build <span class="dot" data-type="map"></span> what exists · a solid line: has to do with · a dashed line: depends on${graph.leftOut > 0 && html` · the ${graph.nodes.length} with most edges are shown; <a href="${basePath(base)}">${graph.leftOut.toLocaleString("en-GB")} more are in the list</a>`}</p>`
  }</div>`;
}
