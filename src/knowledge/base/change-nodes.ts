/** Every way in which a base is changed: checked first, one change at a time, the generated pages after it. */
import { existsSync, lstatSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { HoldfastError } from "../../core/errors.ts";
import type { HeldLock } from "../lock.ts";
import type { KnowledgePlaces } from "../places.ts";
import { assertFolder } from "./folder.ts";
import { type Confidence, type Node, type NodeLink, type NodeType, nodeText, oneLine, writeNode } from "./node.ts";
import { freeId, nodeId, slugOf } from "./node-id.ts";
import { assertBase, type Rebuilt, rebuilt } from "./rebuild.ts";
import { type PlacedNode, readTree, type Tree } from "./tree.ts";
import { assertHeld, type Exclusively, replaceFile } from "./write.ts";

export interface OpenBase {
  readonly places: KnowledgePlaces;
  readonly exclusively: Exclusively;
}

/** A base whose lock is held: what is done to it is one change. */
export interface HeldBase {
  readonly places: KnowledgePlaces;
  readonly lock: HeldLock;
  /** As it was when it was first asked for: nobody else changes it meanwhile. */
  tree(): Tree;
  /** Told right before a node is written. */
  readonly onBegin?: (change: Omit<Change, "index">) => void;
}

export async function held<T>({ places, exclusively }: OpenBase, work: (base: HeldBase) => T): Promise<T> {
  return exclusively(places.baseLock, (lock) => {
    let tree: Tree | undefined;
    return work({
      places,
      lock,
      tree() {
        tree ??= readTree(places.nodesDir);
        return tree;
      },
    });
  });
}

export interface NewNode {
  readonly type: NodeType;
  readonly title: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly body: string;
  readonly confidence: Confidence;
  readonly relatesTo?: readonly string[] | undefined;
  readonly dependsOn?: readonly string[] | undefined;
  readonly derivedFrom?: readonly string[] | undefined;
}

export interface Placement {
  /** From nodes/ down; "" at the top. */
  readonly folder?: string | undefined;
  /** Default: made from the title. */
  readonly slug?: string | undefined;
}

export interface Change {
  readonly id: string;
  /** From nodes/ down. */
  readonly path: string;
  readonly file: string;
  /** The file's text before; undefined: it was not there. */
  readonly before: string | undefined;
  readonly after: string;
  readonly index: Rebuilt | { readonly problem: string };
}

export async function addNode(base: OpenBase, node: NewNode, placement: Placement = {}): Promise<Change> {
  assertBase(base.places);
  return held(base, (open) => added(open, node, placement));
}

/** Never replaces a node: a name that is taken gets a number. */
export function added(base: HeldBase, node: NewNode, placement: Placement = {}): Change {
  const folder = folderIn(placement);
  const slug = placement.slug ?? slugOf(node.title);
  if (slugOf(slug) !== slug) {
    throw new HoldfastError("HF1103", `the slug ${JSON.stringify(slug)} is not in lower-case words joined by -`, {
      hint: `use ${slugOf(slug)}`,
    });
  }
  return written(base, (nodes) => {
    const taken = new Set(nodes.map(({ id }) => id));
    const fileOf = (id: string) => join(base.places.nodesDir, folder, `${id}.md`);
    const id = freeId(nodeId(node.type, slug), (candidate) => taken.has(candidate) || existsSync(fileOf(candidate)));
    return { node: { ...withDefaults(node), id, extra: {} }, path: folder === "" ? `${id}.md` : `${folder}/${id}.md` };
  });
}

const folderIn = ({ folder = "" }: Placement): string => {
  const name = folder.replace(/\/+$/, "");
  assertFolder(name);
  return name;
};

/** Throws where it could not be written as it is. */
export function assertProposable(node: NewNode, folder: string, nodes: readonly PlacedNode[]): void {
  folderIn({ folder });
  assertWritable({ ...withDefaults(node), id: nodeId(node.type, slugOf(node.title)) }, nodes);
}

/** Its id, its place and keys that are not ours stay. */
export function changed(base: HeldBase, id: string, change: (node: PlacedNode) => NewNode): Change {
  return written(base, (nodes) => {
    const found = existing(nodes, id);
    const next = change(found);
    if (next.type !== found.type) {
      throw new HoldfastError("HF1110", `${id} is a ${found.type} and cannot become a ${next.type}`, {
        hint: "add a new node instead",
      });
    }
    return { node: { ...withDefaults(next), id, extra: found.extra }, path: found.path };
  });
}

/** Puts back what was there before a change, unless somebody changed the file since. */
export function undone(
  base: HeldBase,
  { file, before, after }: Pick<Change, "file" | "before" | "after">,
): Change["index"] {
  const now = textOf(file);
  // Somebody was killed who had put it back.
  if (now === before) return indexAfter(base);
  if (now !== after) {
    throw new HoldfastError("HF1110", "the node was changed since, so the change cannot be taken back", {
      file,
      hint: "look at it with git diff, and change it by hand",
    });
  }
  if (before === undefined) {
    assertHeld(base.lock);
    rmSync(file);
  } else replaceFile(file, before, base.lock);
  return indexAfter(base);
}

/** Readers do not follow links: what is written through one is lost to them, and may lie outside the project. */
function assertOwnFolders(nodesDir: string, path: string): void {
  const steps = path.split("/").slice(0, -1);
  for (let length = 0; length <= steps.length; length++) {
    const folder = join(nodesDir, ...steps.slice(0, length));
    const found = lstatSync(folder, { throwIfNoEntry: false });
    if (found && !found.isDirectory())
      throw new HoldfastError("HF1105", "a folder of nodes is a link or a file", {
        file: folder,
        hint: "put a folder in its place: links are not followed",
      });
  }
}

interface Draft {
  readonly node: Node;
  readonly path: string;
}

function written(base: HeldBase, draft: (nodes: readonly PlacedNode[]) => Draft): Change {
  const { nodesDir } = base.places;
  const { nodes } = base.tree();
  const { node, path } = draft(nodes);
  assertWritable(node, nodes);
  const file = join(nodesDir, path);
  assertOwnFolders(nodesDir, path);
  const before = textOf(file);
  const after = nodeText(node, path, linkAmong(nodes));
  const change = { id: node.id, path, file, before, after };
  base.onBegin?.(change);
  writeNode(file, after, base.lock);
  return { ...change, index: indexAfter(base) };
}

/** A node elsewhere that cannot be read is told, and does not undo what was written. */
function indexAfter({ places, lock }: HeldBase): Change["index"] {
  try {
    return rebuilt(places, lock);
  } catch (error) {
    if (!(error instanceof HoldfastError)) throw error;
    return { problem: error.message };
  }
}

export function withDefaults(node: NewNode): Omit<Node, "id" | "extra"> {
  return {
    ...node,
    title: oneLine(node.title),
    description: oneLine(node.description),
    tags: [...new Set(node.tags.map(oneLine).filter((tag) => tag !== ""))],
    relatesTo: [...new Set(node.relatesTo ?? [])],
    dependsOn: [...new Set(node.dependsOn ?? [])],
    derivedFrom: [...new Set(node.derivedFrom ?? [])],
  };
}

function assertWritable(
  { id, title, description, body, relatesTo, dependsOn }: Omit<Node, "extra">,
  nodes: readonly PlacedNode[],
): void {
  const blank = Object.entries({ title, description, body }).find(([, text]) => text.trim() === "");
  if (blank) throw new HoldfastError("HF1103", `the node has no ${blank[0]}`);
  const ids = new Set(nodes.map((node) => node.id));
  const dangling = [...relatesTo, ...dependsOn].find((target) => target !== id && !ids.has(target));
  if (dangling !== undefined)
    throw new HoldfastError("HF1103", `the node refers to ${dangling}, which is no node`, {
      hint: "name nodes by their ids; holdfast knowledge search finds them",
    });
}

export function existing(nodes: readonly PlacedNode[], id: string): PlacedNode {
  const found = nodes.find((node) => node.id === id);
  if (!found) throw new HoldfastError("HF1106", `there is no node ${id}`);
  return found;
}

export function linkAmong(nodes: readonly PlacedNode[]): (id: string) => NodeLink | undefined {
  const known = new Map(nodes.map((node) => [node.id, node]));
  return (id) => known.get(id);
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
