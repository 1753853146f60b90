/** What the pages of one base have in common. */
import type { KnowledgeBase } from "../../knowledge/knowledge-source.ts";
import { html, type Markup } from "../markup.ts";

export const basePath = ({ id }: Pick<KnowledgeBase, "id">): string => `/knowledge/${id}`;

export const nodePath = (base: Pick<KnowledgeBase, "id">, node: string): string =>
  `${basePath(base)}/nodes/${encodeURIComponent(node)}`;

export const proposalPath = (base: Pick<KnowledgeBase, "id">, origin: string): string =>
  `${basePath(base)}/proposals/${encodeURIComponent(origin)}`;

export type Tab = "nodes" | "graph" | "proposals";

export interface Around {
  readonly base: KnowledgeBase;
  readonly tab: Tab;
  /** There are other bases to go to. */
  readonly hasOthers: boolean;
  readonly waiting: number;
}

export function knowledgePage({ base, tab, hasOthers, waiting }: Around, said: Markup | null, content: Markup): Markup {
  const tabs = [
    ["nodes", basePath(base), "Nodes"],
    ["graph", `${basePath(base)}/graph`, "Graph"],
    ["proposals", `${basePath(base)}/proposals`, "Proposals"],
  ] as const;
  return html`${hasOthers && html`<p class="crumb"><a href="/knowledge">Knowledge</a> <span aria-hidden="true">›</span> ${base.name}</p>`}
  <div class="headline"><h1>${base.name}</h1>
    <nav class="ranges" aria-label="Knowledge"><ul>${tabs.map(
      ([name, path, words]) =>
        html`<li><a href="${path}"${name === tab ? html` aria-current="true"` : ""}>${words}${name === "proposals" && html` <span id="waiting" class="count" data-live${waiting === 0 && html` hidden`}>${waiting}<span class="sr"> waiting</span></span>`}</a></li>`,
    )}</ul></nav></div>
  <div id="said">${said}</div>${content}`;
}

export const CONFIDENCE_WORDS = { low: "not sure", medium: "fairly sure", high: "sure" } as const;
