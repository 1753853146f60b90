/** How nodes hang together: who is linked with whom, and how often each is pointed at. By slot of the index. */
import type { IndexedNode, SearchIndex } from "./search-index.ts";

export interface Graph {
  /** Both ways, each once, never itself. */
  neighbours(slot: number): readonly number[];
  /** How many nodes relate to it. */
  inDegree(slot: number): number;
}

/** Where a link leads: the nodes that an id stands for now. */
export type Resolve = (id: string) => readonly string[];

export function graphOf(index: SearchIndex, resolve: Resolve): Graph {
  const slots = new Map<string, number>();
  index.files.forEach((file, slot) => {
    if (file?.node) slots.set(file.node.id, slot);
  });
  const links = new Map<number, Set<number>>();
  const inDegrees = new Map<number, number>();
  const linked = (slot: number) => links.get(slot) ?? links.set(slot, new Set()).get(slot) ?? new Set<number>();
  const targets = (ids: readonly string[], from: number) =>
    new Set(
      ids
        .flatMap((id) => (slots.has(id) ? [id] : resolve(id)))
        .map((id) => slots.get(id))
        .filter((slot): slot is number => slot !== undefined && slot !== from),
    );
  const join = (node: IndexedNode, from: number) => {
    const related = targets(node.relatesTo, from);
    for (const to of related) inDegrees.set(to, (inDegrees.get(to) ?? 0) + 1);
    for (const to of [...related, ...targets(node.dependsOn, from)]) {
      linked(from).add(to);
      linked(to).add(from);
    }
  };
  index.files.forEach((file, slot) => {
    if (file?.node) join(file.node, slot);
  });
  return {
    neighbours: (slot) => [...(links.get(slot) ?? [])],
    inDegree: (slot) => inDegrees.get(slot) ?? 0,
  };
}
