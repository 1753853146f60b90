/** What a decision on a proposal would write: the file as it is and as it would be. Nothing is written. */
import { readFileSync } from "node:fs";
import { linkAmong, withDefaults } from "../../../knowledge/base/change-nodes.ts";
import { nodeText } from "../../../knowledge/base/node.ts";
import { freeId, nodeId, slugOf } from "../../../knowledge/base/node-id.ts";
import type { PlacedNode } from "../../../knowledge/base/tree.ts";
import { mergedNode, nodeOf } from "../../../knowledge/curation/proposed-node.ts";
import type { Proposal } from "../../../knowledge/curation/queue.ts";

export interface Preview {
  /** From nodes/ down. */
  readonly path: string;
  /** Empty: there is no such file yet. */
  readonly before: string;
  readonly after: string;
}

export function previewNew(proposal: Proposal, folder: string, nodes: readonly PlacedNode[]): Preview {
  const { candidate } = proposal;
  const taken = new Set(nodes.map(({ id }) => id));
  const id = freeId(nodeId(candidate.type, slugOf(candidate.title)), (name) => taken.has(name));
  const node = { ...withDefaults(nodeOf(candidate, proposal)), id, extra: {} };
  const path = folder === "" ? `${id}.md` : `${folder}/${id}.md`;
  return { path, before: "", after: nodeText(node, path, linkAmong(nodes)) };
}

export function previewMerge(proposal: Proposal, target: PlacedNode, nodes: readonly PlacedNode[]): Preview {
  const { path, file, id, extra } = target;
  const node = { ...withDefaults(mergedNode(target, proposal)), id, extra };
  return { path, before: readFileSync(file, "utf8"), after: nodeText(node, path, linkAmong(nodes)) };
}
