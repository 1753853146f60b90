/** Nodes by what they say, for people who search. */
import type { PlacedNode } from "../../../knowledge/base/tree.ts";
import { searchBase } from "../../../knowledge/retrieval/search.ts";
import type { KnowledgeBase } from "./knowledge-source.ts";

/** First what prompts would be told of, which forgives endings and typing errors; then whatever has the words in it. */
export async function searchNodes(base: KnowledgeBase, search: string): Promise<readonly PlacedNode[]> {
  const { nodes } = base.tree();
  if (search.trim() === "") return nodes;
  const { found } = await searchBase(search, base.curator.places);
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const ranked = found.flatMap(({ node }) => byId.get(node.id) ?? []);
  return [...new Set([...ranked, ...findNodes(nodes, search)])];
}

const plain = (text: string) => text.normalize("NFKC").toLowerCase();

/** Every word must be somewhere in a node; where it stands says how much it counts. */
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
