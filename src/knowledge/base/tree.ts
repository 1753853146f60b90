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
  const { files, folders, problems } = listNodeFiles(nodesDir);
  const read = files.map(({ file, path }) => ({ file, path, node: readNode(file) }));
  return { folders, ...placed(read, problems) };
}

export interface ReadFile {
  readonly path: string;
  readonly file: string;
  readonly node: Node | NodeProblem;
}

/** Of two files with one id the first by its path is the node. */
export function placed(read: readonly ReadFile[], unread: readonly NodeProblem[]): Pick<Tree, "nodes" | "problems"> {
  const problems = [...unread];
  const nodes: PlacedNode[] = [];
  const pathOf = new Map<string, string>();
  for (const { path, file, node } of read) {
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
  return { nodes, problems };
}

export const folderOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf("/")));
