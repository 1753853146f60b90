/** The nodes of a base as they lie on disk. A file that is wrong is a problem of its own and hides no other. */
import { isNodeProblem, type Node, type NodeProblem, readNode } from "./node.ts";
import { listNodeFiles } from "./node-files.ts";

export interface PlacedNode extends Node {
  readonly path: string;
  readonly file: string;
  /** "" at the top. */
  readonly folder: string;
}

export interface Tree {
  /** By path. */
  readonly nodes: readonly PlacedNode[];
  readonly folders: readonly string[];
  readonly problems: readonly NodeProblem[];
}

export function readTree(nodesDir: string): Tree {
  const { files, folders, problems: unread } = listNodeFiles(nodesDir);
  const problems = [...unread];
  const nodes: PlacedNode[] = [];
  const pathOf = new Map<string, string>();
  for (const { file, path } of files) {
    const node = readNode(file);
    if (isNodeProblem(node)) {
      problems.push(node);
      continue;
    }
    const first = pathOf.get(node.id);
    if (first !== undefined) {
      problems.push({ file, message: `has the id ${node.id}, which ${first} has too` });
      continue;
    }
    pathOf.set(node.id, path);
    nodes.push({ ...node, path, file, folder: folderOf(path) });
  }
  return { nodes, folders, problems };
}

export const folderOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf("/")));
