/**
 * The index of a base, kept in step with its files: in memory while the process lives, in a file between processes. Only
 * what changed is read again.
 */
import { existsSync, lstatSync, statSync } from "node:fs";
import { join } from "node:path";
import { type FileList, listNodeFiles, type NodeFile } from "../base/node-files.ts";
import { readRedirects, resolveId } from "../base/redirects.ts";
import type { KnowledgePlaces } from "../places.ts";
import { type Graph, graphOf } from "./graph.ts";
import { readIndexFile, writeIndexFile } from "./index-file.ts";
import { type IndexedFile, SearchIndex } from "./search-index.ts";
import { type TreeWatch, watchTree } from "./tree-watch.ts";

export interface FreshIndex {
  readonly index: SearchIndex;
  readonly graph: Graph;
  /** Files that could not be read, each told once until it changes. */
  readonly problems: readonly { readonly path: string; readonly message: string }[];
  /** So many files are still to be read: time was up. */
  readonly unread: number;
  /** Why the index could not be kept for the next process; told once. */
  readonly notKept?: string;
}

/** How much of what is unread is read now: at least so many files, and more while there is time. */
export interface Reading {
  readonly files: number;
  readonly ms: number;
}

/** Reading a large base for the first time takes seconds: a prompt waits for this much of it, the next one for more. */
export const FOR_A_PROMPT: Reading = { files: 250, ms: 300 };
export const ALL: Reading = { files: Number.POSITIVE_INFINITY, ms: 0 };
const IN_BACKGROUND: Reading = { files: 1, ms: 50 };
/** Others in this process are served in between. */
const SLICE_MS = 20;
/** A few changes are cheaper read again than written. */
const WORTH_WRITING = 16;
/** Systems lose what they should tell (a full queue, a disk on a network), so now and then everything is looked at. */
const LOOK_AGAIN_MS = 60_000;

export const searchIndexFile = ({ stateDir }: Pick<KnowledgePlaces, "stateDir">): string =>
  join(stateDir, "search-index.bin");

const kept = new Map<string, KeptIndex>();
const MAX_KEPT = 16;

/** One for each base in this process. */
export function keptIndex(places: KnowledgePlaces): KeptIndex {
  const known = kept.get(places.nodesDir);
  if (known) return known;
  for (const [oldest, index] of kept) {
    if (kept.size < MAX_KEPT) break;
    index.close();
    kept.delete(oldest);
  }
  const fresh = new KeptIndex(places);
  kept.set(places.nodesDir, fresh);
  return fresh;
}

export class KeptIndex {
  readonly #places: KnowledgePlaces;
  #index: SearchIndex | undefined;
  #watch: TreeWatch | undefined;
  #calls = 0;
  #lookedAt = 0;
  #unsaved = 0;
  #toldNotKept = false;
  readonly #unread = new Map<string, NodeFile>();
  #graph: { readonly key: string; readonly graph: Graph } | undefined;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(places: KnowledgePlaces) {
    this.#places = places;
  }

  /** One caller at a time: two that ask at once share what the first one reads. */
  fresh(reading: Reading = FOR_A_PROMPT): Promise<FreshIndex> {
    const next = this.#turn.then(() => this.#refresh(reading));
    this.#turn = next.catch(() => undefined);
    return next;
  }

  close(): void {
    this.#watch?.close();
    this.#watch = undefined;
    this.#index = undefined;
  }

  async #refresh(reading: Reading): Promise<FreshIndex> {
    this.#calls++;
    const index = this.#opened();
    this.#notice(index);
    const problems = await this.#read(index, reading);
    const notKept = this.#save();
    return {
      index: this.#opened(),
      graph: this.#graphNow(),
      problems,
      unread: this.#unread.size,
      ...(notKept === undefined ? {} : { notKept }),
    };
  }

  #opened(): SearchIndex {
    this.#index ??= readIndexFile(searchIndexFile(this.#places)) ?? new SearchIndex();
    return this.#index;
  }

  /** Which files are new, changed or gone. */
  #notice(index: SearchIndex): void {
    const { nodesDir } = this.#places;
    // The first call of a process is often its last: watching begins with the second.
    const changed = this.#watch?.taken();
    if (this.#calls >= 2) this.#watch ??= watchTree(nodesDir);
    if (changed === undefined) this.#look("", index);
    else for (const folder of outermost(changed)) this.#look(folder, index);
  }

  /** A folder and all below it. */
  #look(folder: string, index: SearchIndex): void {
    const dir = join(this.#places.nodesDir, folder);
    const inside = folder === "" ? "" : `${folder}/`;
    if (folder !== "" && !existsSync(dir)) return this.#forget(inside, new Set(), index);
    let listed = this.#listed(dir, inside);
    // What is written between listing and watching would be missed: what is watched is listed after that.
    if (this.#watch) {
      this.#watch.cover(listed.folders);
      listed = this.#listed(dir, inside);
    }
    if (folder === "") this.#lookedAt = Date.now();
    const there = new Set<string>();
    for (const file of listed.files) {
      there.add(file.path);
      const known = index.fileAt(file.path);
      const isSame = known?.mtimeMs === file.mtimeMs && known.size === file.size && known.ctimeMs === file.ctimeMs;
      if (isSame) this.#unread.delete(file.path);
      else this.#unread.set(file.path, file);
    }
    this.#forget(inside, there, index);
  }

  #listed(dir: string, inside: string): FileList {
    const { files, folders, problems } = listNodeFiles(dir);
    return {
      files: inside === "" ? files : files.map((file) => ({ ...file, path: inside + file.path })),
      folders: folders.map((name) => `${inside}${name}`.replace(/\/$/, "")),
      problems,
    };
  }

  #forget(inside: string, there: ReadonlySet<string>, index: SearchIndex): void {
    const isGone = (path: string) => path.startsWith(inside) && !there.has(path);
    for (const path of [...this.#unread.keys()].filter(isGone)) this.#unread.delete(path);
    for (const path of [...index.paths].filter(isGone)) {
      index.remove(path);
      this.#unsaved++;
    }
  }

  async #read(index: SearchIndex, { files, ms }: Reading): Promise<FreshIndex["problems"]> {
    if (this.#unread.size === 0) return [];
    // With it comes a parser of YAML, which most prompts have no use for.
    const { isNodeProblem, readNode } = await import("../base/node.ts");
    const problems: { path: string; message: string }[] = [];
    const end = performance.now() + ms;
    let read = 0;
    let slice = performance.now() + SLICE_MS;
    for (const [path, { file, mtimeMs, ctimeMs, size }] of this.#unread) {
      const node = readNode(file);
      const seen = { path, mtimeMs, ctimeMs, size };
      if (isNodeProblem(node)) {
        problems.push({ path, message: node.message });
        index.put({ ...seen, problem: node.message }, undefined);
      } else {
        const { id, title, description, tags, relatesTo, dependsOn, body } = node;
        index.put(seen, { id, title, description, tags, relatesTo, dependsOn, body });
      }
      this.#unread.delete(path);
      this.#unsaved++;
      const now = performance.now();
      if (++read >= files && now > end) break;
      if (now > slice) {
        await new Promise((resolve) => setImmediate(resolve));
        slice = performance.now() + SLICE_MS;
      }
    }
    return problems;
  }

  #save(): string | undefined {
    const index = this.#opened();
    if (index.deadSlots > 1_000 && index.deadSlots > index.nodeCount / 4) {
      this.#index = index.compacted();
      this.#graph = undefined;
    }
    // What is read behind prompts is written once, at its end.
    if (this.#unsaved <= WORTH_WRITING || (this.#unread.size > 0 && this.#calls > 1)) return undefined;
    try {
      writeIndexFile(searchIndexFile(this.#places), this.#opened());
      this.#unsaved = 0;
      return undefined;
    } catch (error) {
      if (this.#toldNotKept) return undefined;
      this.#toldNotKept = true;
      return (error as Error).message;
    }
  }

  #graphNow(): Graph {
    const { redirectsFile } = this.#places;
    const index = this.#opened();
    const stat = statSync(redirectsFile, { throwIfNoEntry: false });
    const key = `${index.version} ${stat?.mtimeMs} ${stat?.size}`;
    if (this.#graph?.key === key) return this.#graph.graph;
    const redirects = readRedirects(redirectsFile);
    const live = new Set(index.files.map((file) => file?.node?.id));
    const graph = graphOf(index, (id) => resolveId(id, (name) => live.has(name), redirects));
    this.#graph = { key, graph };
    return graph;
  }

  /** All files that could not be read, told before or not. */
  get problems(): FreshIndex["problems"] {
    return this.#opened().files.flatMap((file) => (file?.problem ? [{ path: file.path, message: file.problem }] : []));
  }

  /** Whether a file is still what was read of it. */
  isCurrent({ path, mtimeMs, ctimeMs, size }: IndexedFile): boolean {
    const stat = lstatSync(join(this.#places.nodesDir, path), { throwIfNoEntry: false });
    return stat?.mtimeMs === mtimeMs && stat.ctimeMs === ctimeMs && stat.size === size;
  }

  /** The system has missed a change: nothing it told is relied on for the next answer. */
  doubt(): void {
    this.#watch?.close();
    this.#watch = undefined;
  }

  /** To be called when the answer is out: reads what is still unread, and looks for what a watch may have missed. */
  async afterAnswer(): Promise<void> {
    if (this.#calls < 2) return;
    // In turns, so that a prompt that comes meanwhile waits for one of them only.
    while (this.#unread.size > 0 && this.#index) await this.fresh(IN_BACKGROUND);
    if (!this.#watch || Date.now() - this.#lookedAt < LOOK_AGAIN_MS) return;
    const next = this.#turn.then(() => this.#look("", this.#opened()));
    this.#turn = next.catch(() => undefined);
    await next;
  }
}

/** Of folders inside each other the outer one. */
const outermost = (folders: ReadonlySet<string>): string[] =>
  [...folders].filter((folder) => {
    const parts = folder === "" ? [] : folder.split("/");
    return !parts.some((_, depth) => folders.has(parts.slice(0, depth).join("/")));
  });
