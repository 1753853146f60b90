/** A base in a scratch folder, for tests of retrieval. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type Node, nodeText } from "../base/node.ts";
import { type KnowledgePlaces, knowledgePlaces } from "../places.ts";
import type { SearchableNode } from "./search-index.ts";

export const searchable = (id: string, parts: Partial<SearchableNode> = {}): SearchableNode => ({
  id,
  title: id,
  description: "",
  tags: [],
  relatesTo: [],
  dependsOn: [],
  body: "",
  ...parts,
});

export interface ScratchBase {
  readonly root: string;
  readonly places: KnowledgePlaces;
  /** `path` from nodes/ down. */
  put(node: SearchableNode, path?: string): void;
  remove(): void;
}

export function scratchBase(nodes: readonly (SearchableNode & { readonly path?: string })[] = []): ScratchBase {
  const root = mkdtempSync(join(tmpdir(), "holdfast-retrieval-"));
  const places = knowledgePlaces(root);
  mkdirSync(places.nodesDir, { recursive: true });
  const base: ScratchBase = {
    root,
    places,
    put: (node, path = `${node.id}.md`) => writeNodeFile(join(places.nodesDir, path), node, path),
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
  for (const { path, ...node } of nodes) base.put(node, path);
  return base;
}

function writeNodeFile(file: string, node: SearchableNode, path: string): void {
  const whole: Node = { ...node, type: "practice", derivedFrom: [], confidence: "high", extra: {} };
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(
    file,
    nodeText(whole, path, () => undefined),
  );
}
