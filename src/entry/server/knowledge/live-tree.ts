/** The nodes of a base for a process that looks again and again: only files that changed are read again. */
import { isNodeProblem, type Node, type NodeProblem, readNode } from "../../../knowledge/base/node.ts";
import { folderOf, listNodeFiles, type PlacedNode, type Tree } from "../../../knowledge/base/tree.ts";

export function liveTree(nodesDir: string): () => Tree {
  let known = new Map<string, { readonly stamp: string; readonly node: Node | NodeProblem }>();
  return () => {
    const { files, folders, problems: unread } = listNodeFiles(nodesDir);
    const problems = [...unread];
    const nodes: PlacedNode[] = [];
    const pathOf = new Map<string, string>();
    const fresh: typeof known = new Map();
    for (const { path, file, size, mtimeMs, ctimeMs, ino } of files) {
      const stamp = `${ino} ${size} ${mtimeMs} ${ctimeMs}`;
      const before = known.get(path);
      const node = before?.stamp === stamp ? before.node : readNode(file);
      fresh.set(path, { stamp, node });
      if (isNodeProblem(node)) {
        problems.push(node);
        continue;
      }
      const first = pathOf.get(node.id);
      if (first === undefined) {
        pathOf.set(node.id, path);
        nodes.push({ ...node, path, file, folder: folderOf(path) });
      } else problems.push({ file, message: `has the id ${node.id}, which ${first} has too` });
    }
    known = fresh;
    return { nodes, folders, problems };
  };
}
