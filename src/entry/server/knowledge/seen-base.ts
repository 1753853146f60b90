/** Bases as people see them: of their own organisation only. */
import type { PlacedNode } from "../../../knowledge/base/tree.ts";
import type { ServerContext } from "../context.ts";
import { unknown } from "../problem.ts";
import type { KnowledgeBase } from "./knowledge-source.ts";

export const basesOf = ({ knowledge }: ServerContext, organisation: string): readonly KnowledgeBase[] =>
  knowledge?.bases(organisation) ?? [];

export function seenBase(context: ServerContext, organisation: string, id: string): KnowledgeBase {
  const base = basesOf(context, organisation).find((known) => known.id === id);
  if (!base) throw unknown("such knowledge base");
  return base;
}

export function nodeNamed(nodes: readonly PlacedNode[], id: string): PlacedNode {
  const node = nodes.find((known) => known.id === id);
  if (!node) throw unknown(`node ${id}`);
  return node;
}
