/** Nodes by what they say: every word must be somewhere in a node; where it stands says how much it counts. */
import type { PlacedNode } from "../../../knowledge/base/tree.ts";

const plain = (text: string) => text.normalize("NFKC").toLowerCase();

export function findNodes(nodes: readonly PlacedNode[], search: string): readonly PlacedNode[] {
  const words = plain(search).match(/[\p{L}\p{M}\p{N}_-]+/gu) ?? [];
  if (words.length === 0) return nodes;
  return nodes
    .map((node) => ({ node, score: scoreOf(node, words) }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score || (one.node.path < other.node.path ? -1 : 1))
    .map(({ node }) => node);
}

function scoreOf(node: PlacedNode, words: readonly string[]): number {
  const places: readonly (readonly [string, number])[] = [
    [node.title, 4],
    [`${node.tags.join(" ")} ${node.id}`, 3],
    [node.description, 2],
    [node.body, 1],
  ];
  const texts = places.map(([text, weight]) => ({ text: plain(text), weight }));
  let score = 0;
  for (const word of words) {
    const found = texts.filter(({ text }) => text.includes(word));
    if (found.length === 0) return 0;
    score += found.reduce((sum, { weight }) => sum + weight, 0);
  }
  return score;
}
