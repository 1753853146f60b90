/** The nodes of a base as text: searched, filtered, paged. */
import { NODE_TYPES, type NodeProblem, type NodeType } from "../../../../knowledge/base/node.ts";
import type { PlacedNode } from "../../../../knowledge/base/tree.ts";
import type { KnowledgeBase } from "../../knowledge/knowledge-source.ts";
import { html, type Markup } from "../markup.ts";
import { basePath, nodePath } from "./knowledge-frame.ts";

export interface NodeFilter {
  readonly search: string;
  readonly type: NodeType | "";
  readonly tag: string;
}

export interface FoundNodes {
  readonly base: KnowledgeBase;
  readonly filter: NodeFilter;
  /** Of this page. */
  readonly nodes: readonly PlacedNode[];
  readonly total: number;
  readonly page: number;
  readonly hasMore: boolean;
  readonly problems: readonly NodeProblem[];
}

const TYPE_WORDS: Readonly<Record<NodeType, string>> = { practice: "How we build", map: "What exists" };

export function nodesView({ base, filter, nodes, total, page, hasMore, problems }: FoundNodes): Markup {
  return html`${filterForm(base, filter)}
  <div id="nodes" data-live>
    ${problems.length > 0 && problemsView(base, problems)}
    <p class="quiet">${total === 1 ? "1 node" : `${total.toLocaleString("en-GB")} nodes`}${isFiltered(filter) && html` found · <a href="${basePath(base)}">show all</a>`}</p>
    ${
      nodes.length === 0
        ? html`<div class="empty"><p><strong>Nothing found.</strong></p><p class="quiet">${isFiltered(filter) ? "Try fewer or other words." : html`<code>holdfast knowledge add</code> writes the first node; sessions propose others.`}</p></div>`
        : html`<ol class="rows nodes">${nodes.map((node) => row(base, node))}</ol>`
    }</div>
  <p class="paging">${page > 1 && html`<a rel="prev" href="${pathOf(base, filter, page - 1)}">Back</a>`} ${hasMore && html`<a rel="next" href="${pathOf(base, filter, page + 1)}">More</a>`}</p>`;
}

const row = (base: KnowledgeBase, node: PlacedNode) => html`<li id="node-${node.id}" data-item tabindex="-1">
  <span class="badge" data-type="${node.type}">${TYPE_WORDS[node.type]}</span>
  <div class="row-call"><a href="${nodePath(base, node.id)}" data-key="o">${node.title}</a><p class="quiet">${node.description}</p></div>
  <div class="row-facts">${node.folder !== "" && html`<span class="id">${node.folder}/</span> `}${tagsView(base, node)}</div>
</li>`;

export const typeWord = (type: NodeType): string => TYPE_WORDS[type];

export const tagsView = (base: KnowledgeBase, { tags }: Pick<PlacedNode, "tags">): Markup =>
  html`${tags.map((tag) => html`<a class="tag" href="${basePath(base)}?${new URLSearchParams({ tag }).toString()}">${tag}</a> `)}`;

/** One that cannot be read hides no other, and is not hidden either. */
const problemsView = ({ curator }: KnowledgeBase, problems: readonly NodeProblem[]) =>
  html`<details class="more" id="problems"><summary>${problems.length === 1 ? "1 file" : `${problems.length} files`} cannot be used</summary><ul class="plain-list">${problems.map(({ file, message }) => html`<li class="problem"><code>${file.slice(curator.places.root.length + 1)}</code> ${message}</li>`)}</ul></details>`;

const filterForm = (
  base: KnowledgeBase,
  { search, type, tag }: NodeFilter,
) => html`<form class="filter" role="search" action="${basePath(base)}">
  <div class="field wide"><label for="q">Search</label><input id="q" name="q" type="search" value="${search}" placeholder="Words in the title, topics, description or text" data-key="/"></div>
  <div class="field"><label for="type">Kind</label><select id="type" name="type"><option value="">Any</option>${NODE_TYPES.map((name) => html`<option value="${name}"${name === type ? html` selected` : ""}>${TYPE_WORDS[name]}</option>`)}</select></div>
  <div class="field"><label for="tag">Topic</label><input id="tag" name="tag" value="${tag}" placeholder="Any"></div>
  <button>Search</button>
</form>`;

const isFiltered = ({ search, type, tag }: NodeFilter) => search !== "" || type !== "" || tag !== "";

function pathOf(base: KnowledgeBase, { search, type, tag }: NodeFilter, page: number): string {
  const wanted = Object.entries({ q: search, type, tag, page: page > 1 ? String(page) : "" });
  const query = new URLSearchParams(wanted.filter(([, value]) => value !== "")).toString();
  return query === "" ? basePath(base) : `${basePath(base)}?${query}`;
}
