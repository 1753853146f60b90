/** What a decision on a proposal would write: the file as it is and as it would be. Nothing is written. */
import { readFileSync } from "node:fs";
import { type Node, nodeText, oneLine } from "../../../knowledge/base/node.ts";
import { freeId, nodeId, slugOf } from "../../../knowledge/base/node-id.ts";
import type { PlacedNode } from "../../../knowledge/base/tree.ts";
import { joined } from "../../../knowledge/curation/curate.ts";
import type { Proposal } from "../../../knowledge/curation/queue.ts";

export interface Preview {
  /** From nodes/ down. */
  readonly path: string;
  /** Empty: there is no such file yet. */
  readonly before: string;
  readonly after: string;
}

export function previewNew(proposal: Proposal, folder: string, nodes: readonly PlacedNode[]): Preview {
  const { candidate, source } = proposal;
  const taken = new Set(nodes.map(({ id }) => id));
  const id = freeId(nodeId(candidate.type, slugOf(candidate.title)), (name) => taken.has(name));
  const node: Node = {
    ...candidate,
    id,
    title: oneLine(candidate.title),
    description: oneLine(candidate.description),
    derivedFrom: [source.reference],
    relatesTo: [],
    dependsOn: [],
    extra: {},
  };
  const path = folder === "" ? `${id}.md` : `${folder}/${id}.md`;
  return { path, before: "", after: nodeText(node, path, linkAmong(nodes)) };
}

export function previewMerge(proposal: Proposal, target: PlacedNode, nodes: readonly PlacedNode[]): Preview {
  const { path, file, id, extra, derivedFrom, relatesTo, dependsOn } = target;
  const { tags, ...next } = joined(target, proposal);
  const node: Node = {
    ...next,
    id,
    extra,
    relatesTo,
    dependsOn,
    tags: [...new Set(tags)],
    derivedFrom: [...new Set([...derivedFrom, proposal.source.reference])],
  };
  return { path, before: readFileSync(file, "utf8"), after: nodeText(node, path, linkAmong(nodes)) };
}

const linkAmong = (nodes: readonly PlacedNode[]) => {
  const byId = new Map(nodes.map((node) => [node.id, { title: node.title, path: node.path }]));
  return (id: string) => byId.get(id);
};
