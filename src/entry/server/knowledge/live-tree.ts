/**
 * The nodes of a base for a process that looks again and again: while the system says that nothing happened nothing is
 * looked at, and of what changed only those files are read.
 */
import { statSync } from "node:fs";
import { join } from "node:path";
import { isNodeProblem, type Node, type NodeProblem, readNode } from "../../../knowledge/base/node.ts";
import { listNodeFiles } from "../../../knowledge/base/node-files.ts";
import { placed, type Tree } from "../../../knowledge/base/tree.ts";
import { type TreeWatch, watchTree } from "../../../knowledge/retrieval/tree-watch.ts";

/** Systems lose what they should tell (a full queue, a disk on a network), so now and then everything is looked at. */
const LOOK_AGAIN_MS = 15_000;

/** Returns the same tree as long as it is the same. */
export function liveTree(nodesDir: string): () => Tree {
  let known = new Map<string, { readonly stamp: string; readonly node: Node | NodeProblem }>();
  let seen: { readonly tree: Tree; readonly stamps: string; readonly entries: string; readonly at: number } | undefined;
  let watch: TreeWatch | undefined;
  return () => {
    // What could not be read is tried again: it may have been a moment's trouble.
    const isWhole = seen?.tree.problems.length === 0;
    const isQuiet = watch?.taken()?.size === 0;
    // The system tells a moment later. What came, went or was replaced shows in its folder at once.
    if (seen && isWhole && isQuiet && Date.now() - seen.at < LOOK_AGAIN_MS)
      if (entriesOf(nodesDir, seen.tree.folders) === seen.entries) return seen.tree;
    watch ??= watchTree(nodesDir);
    const covered = listNodeFiles(nodesDir).folders;
    watch.cover(covered);
    const entries = entriesOf(nodesDir, covered);
    // Listed after that: what is written in between is told, not missed.
    const { files, folders, problems: unread } = listNodeFiles(nodesDir);
    const stamped = files.map(({ path, file, size, mtimeMs, ctimeMs, ino }) => ({
      path,
      file,
      stamp: `${ino} ${size} ${mtimeMs} ${ctimeMs}`,
    }));
    const stamps = JSON.stringify([stamped.map(({ path, stamp }) => [path, stamp]), folders, unread]);
    if (seen && isWhole && seen.stamps === stamps) {
      seen = { ...seen, entries, at: Date.now() };
      return seen.tree;
    }
    const fresh: typeof known = new Map();
    for (const { path, file, stamp } of stamped) {
      const before = known.get(path);
      fresh.set(
        path,
        before?.stamp === stamp && !isNodeProblem(before.node) ? before : { stamp, node: readNode(file) },
      );
    }
    known = fresh;
    const read = stamped.flatMap(({ path, file }) => {
      const found = fresh.get(path);
      return found ? [{ path, file, node: found.node }] : [];
    });
    const tree = { folders, ...placed(read, unread) };
    seen = { tree, stamps, entries, at: Date.now() };
    return tree;
  };
}

/** Changes with every file that comes, goes or takes another's place. */
const entriesOf = (nodesDir: string, folders: readonly string[]): string =>
  folders
    .map((folder) => statSync(join(nodesDir, folder), { bigint: true, throwIfNoEntry: false }))
    .map((found) => (found ? `${found.ino}:${found.mtimeNs}` : "-"))
    .join(" ");
