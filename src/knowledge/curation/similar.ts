/** Which nodes a proposal could be about: what a person compares before they decide. */
import { byCodePoint } from "../base/author-text.ts";
import { nodeId, slugOf } from "../base/node-id.ts";
import type { PlacedNode } from "../base/tree.ts";
import type { Candidate } from "./contracts.ts";

export interface Similar {
  readonly node: PlacedNode;
  /** 0 to 1; 1: it would have the same id. */
  readonly score: number;
}

const MIN_SCORE = 0.2;
const MAX_SIMILAR = 3;

type Described = Pick<Candidate, "type" | "title" | "description" | "tags">;

export function similarNodes(candidate: Described, nodes: readonly PlacedNode[]): Similar[] {
  const id = nodeId(candidate.type, slugOf(candidate.title));
  const words = wordsOf(candidate);
  return nodes
    .map((node) => ({ node, score: node.id === id ? 1 : likeness(words, wordsOf(node)) }))
    .filter(({ score }) => score >= MIN_SCORE)
    .sort((a, b) => b.score - a.score || byCodePoint(a.node.id, b.node.id))
    .slice(0, MAX_SIMILAR);
}

const wordsOf = ({ title, description, tags }: Described): ReadonlySet<string> =>
  new Set(
    `${title} ${description} ${tags.join(" ")}`
      .normalize("NFC")
      .toLowerCase()
      .match(/[\p{L}\p{N}]{3,}/gu) ?? [],
  );

function likeness(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let shared = 0;
  for (const word of a) if (b.has(word)) shared++;
  const total = a.size + b.size - shared;
  return total === 0 ? 0 : shared / total;
}

/** Where it would go: where the nodes most like it are, else where its source says, else the folder of its first tag. */
export function suggestedFolder(
  candidate: Described,
  similar: readonly Similar[],
  nodes: readonly PlacedNode[],
  source?: string,
): string {
  const [nearest] = similar;
  if (nearest) return nearest.node.folder;
  if (source !== undefined) return source;
  const folders = new Set(nodes.map(({ folder }) => folder));
  return candidate.tags.find((tag) => folders.has(tag)) ?? "";
}
