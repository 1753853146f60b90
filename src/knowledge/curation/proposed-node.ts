/** The node a proposal would become, alone or in a node that is there: what is shown before is what is written after. */
import { proseOf } from "../base/body-sections.ts";
import type { NewNode } from "../base/change-nodes.ts";
import type { PlacedNode } from "../base/tree.ts";
import type { Candidate, ProposedNode } from "./contracts.ts";
import type { Proposal } from "./queue.ts";

/** The nodes an id stands for now. */
type Live = (id: string) => readonly string[];
const asNamed: Live = (id) => [id];

export const sourcesOf = ({ source: { reference, alsoFrom } }: Pick<Proposal, "source">): string[] => [
  reference,
  ...alsoFrom,
];

/** `node` is the proposal as a person or a model changed it. */
export function nodeOf(node: ProposedNode | Candidate, proposal: Pick<Proposal, "source">, live = asNamed): NewNode {
  const { relates_to: relatesTo = [], depends_on: dependsOn = [], ...rest } = node as ProposedNode;
  return {
    ...rest,
    relatesTo: relatesTo.flatMap(live),
    dependsOn: dependsOn.flatMap(live),
    derivedFrom: sourcesOf(proposal),
  };
}

/** The target with the proposal's text behind its own, or with `node` in its place. */
export function mergedNode(
  target: PlacedNode,
  proposal: Pick<Proposal, "candidate" | "source">,
  { node, live = asNamed }: { readonly node?: ProposedNode | Candidate | undefined; readonly live?: Live } = {},
): NewNode {
  const next = node ? nodeOf(withEdgesOf(target, node), proposal, live) : joined(target, proposal.candidate, live);
  return { ...next, derivedFrom: [...target.derivedFrom, ...sourcesOf(proposal)] };
}

/** Where the new text says nothing of edges, the node keeps its own. */
const withEdgesOf = ({ relatesTo, dependsOn }: PlacedNode, node: ProposedNode | Candidate): ProposedNode => ({
  relates_to: relatesTo,
  depends_on: dependsOn,
  ...node,
});

function joined(target: PlacedNode, candidate: ProposedNode, live: Live): NewNode {
  const { relates_to: relatesTo = [], depends_on: dependsOn = [] } = candidate;
  const others = (ids: readonly string[]) => ids.flatMap(live).filter((id) => id !== target.id);
  const addition = proseOf(candidate.body);
  return {
    ...target,
    tags: [...target.tags, ...candidate.tags],
    relatesTo: [...target.relatesTo, ...others(relatesTo)],
    dependsOn: [...target.dependsOn, ...others(dependsOn)],
    body: target.body.includes(addition) ? target.body : `${target.body}\n\n${addition}`,
  };
}
