/** The predecessor's scoring, from the facts (A8): what ours is measured against. */
import type { SearchableNode } from "../../../src/knowledge/retrieval/search-index.ts";

const STOP_WORDS = new Set(
  "a an and are as at be but by can do for from how i in is it of on or that the this to we what when where which with you your".split(
    " ",
  ),
);

const termsOf = (text: string) =>
  new Set(
    text
      .toLowerCase()
      .split(/[^a-z0-9]+/)
      .filter((term) => term.length >= 2 && !STOP_WORDS.has(term)),
  );

/** Best first, at most five. */
export function predecessorRanking(nodes: readonly SearchableNode[]): (prompt: string) => SearchableNode[] {
  const ids = new Set(nodes.map(({ id }) => id));
  const inDegree = new Map<string, number>();
  const neighbours = new Map<string, Set<string>>(nodes.map(({ id }) => [id, new Set()]));
  for (const { id, relatesTo, dependsOn } of nodes) {
    for (const to of relatesTo) inDegree.set(to, (inDegree.get(to) ?? 0) + 1);
    for (const to of [...relatesTo, ...dependsOn]) {
      if (to === id || !ids.has(to)) continue;
      neighbours.get(id)?.add(to);
      neighbours.get(to)?.add(id);
    }
  }
  const fields = nodes.map((node) => ({
    node,
    weighted: [
      [termsOf(node.title), 6],
      [termsOf(node.tags.join(" ")), 5],
      [termsOf(node.description), 3],
      [termsOf(node.body), 1],
    ] as const,
  }));
  return (prompt) => {
    const terms = termsOf(prompt);
    const lexical = new Map<string, number>();
    for (const { node, weighted } of fields) {
      let score = 0;
      for (const term of terms) for (const [words, weight] of weighted) if (words.has(term)) score += weight;
      lexical.set(node.id, score);
    }
    const score = ({ id }: SearchableNode) =>
      (lexical.get(id) ?? 0) +
      0.5 * [...(neighbours.get(id) ?? [])].filter((other) => (lexical.get(other) ?? 0) > 0).length;
    return nodes
      .map((node) => ({ node, score: score(node) }))
      .filter((item) => item.score > 0)
      .sort(
        (a, b) =>
          b.score - a.score ||
          (inDegree.get(b.node.id) ?? 0) - (inDegree.get(a.node.id) ?? 0) ||
          (a.node.id < b.node.id ? -1 : 1),
      )
      .slice(0, 5)
      .map(({ node }) => node);
  };
}
