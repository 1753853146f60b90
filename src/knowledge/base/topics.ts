/** Which nodes stand for a topic: those whose other tags are most like those of all that carry it. */
import { byCodePoint } from "./author-text.ts";
import type { PlacedNode } from "./tree.ts";

export type InDegree = ReadonlyMap<string, number>;

/** How many nodes relate to each. */
export function inDegrees(nodes: readonly PlacedNode[]): InDegree {
  const degrees = new Map<string, number>();
  for (const { id, relatesTo } of nodes)
    for (const target of new Set(relatesTo)) if (target !== id) degrees.set(target, (degrees.get(target) ?? 0) + 1);
  return degrees;
}

export const byImportance = (degrees: InDegree) => (a: PlacedNode, b: PlacedNode) =>
  (degrees.get(b.id) ?? 0) - (degrees.get(a.id) ?? 0) || byCodePoint(a.title, b.title) || byCodePoint(a.id, b.id);

const PER_TOPIC = 3;

/** A tag's best nodes in the whole tree. */
export function topicLeaders(nodes: readonly PlacedNode[], degrees: InDegree): (tag: string) => readonly PlacedNode[] {
  const carriers = new Map<string, PlacedNode[]>();
  for (const node of nodes) {
    for (const tag of new Set(node.tags)) {
      const known = carriers.get(tag);
      if (known) known.push(node);
      else carriers.set(tag, [node]);
    }
  }
  const known = new Map<string, readonly PlacedNode[]>();
  return (tag) => {
    const found = known.get(tag);
    if (found) return found;
    const leaders = leadersAmong(carriers.get(tag) ?? [], degrees);
    known.set(tag, leaders);
    return leaders;
  };
}

/** Nodes with the same tags are alike to all others alike, so each set of tags is weighed once. */
function leadersAmong(carriers: readonly PlacedNode[], degrees: InDegree): readonly PlacedNode[] {
  const numbers = new Map<string, number>();
  const groups = new Map<string, { tags: readonly number[]; nodes: PlacedNode[] }>();
  for (const node of carriers) {
    const tags = numbered(node.tags, numbers);
    const key = tags.join();
    const group = groups.get(key);
    if (group) group.nodes.push(node);
    else groups.set(key, { tags, nodes: [node] });
  }
  const all = [...groups.values()];
  const weighed = all.map(({ tags, nodes }) => {
    let weight = 0;
    for (const other of all) weight += likeness(tags, other.tags) * other.nodes.length;
    return { nodes, weight };
  });
  const rank = byImportance(degrees);
  return weighed
    .flatMap(({ nodes, weight }) => nodes.map((node) => ({ node, weight })))
    .sort((a, b) => b.weight - a.weight || rank(a.node, b.node))
    .slice(0, PER_TOPIC)
    .map(({ node }) => node);
}

function numbered(tags: readonly string[], numbers: Map<string, number>): number[] {
  const own = new Set<number>();
  for (const tag of tags) {
    const number = numbers.get(tag) ?? numbers.size;
    numbers.set(tag, number);
    own.add(number);
  }
  return [...own].sort((a, b) => a - b);
}

/** Shared tags among all tags of both; each list in order. */
function likeness(a: readonly number[], b: readonly number[]): number {
  let shared = 0;
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    const left = a[i] as number;
    const right = b[j] as number;
    if (left === right) shared++;
    if (left <= right) i++;
    if (right <= left) j++;
  }
  const total = a.length + b.length - shared;
  return total === 0 ? 0 : shared / total;
}
