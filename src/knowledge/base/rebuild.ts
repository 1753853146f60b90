/** Writes what is generated, where it differs. Nothing is written from a base that cannot be read whole. */
import { existsSync, readdirSync, readFileSync, rmdirSync, rmSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { HoldfastError } from "../../core/errors.ts";
import type { HeldLock } from "../lock.ts";
import type { KnowledgePlaces } from "../places.ts";
import { readSummaries } from "./folder-summaries.ts";
import { parseFrontMatter } from "./front-matter.ts";
import { listNodeFiles } from "./node-files.ts";
import { nodesHash } from "./nodes-hash.ts";
import { GENERATED, generatedPages, unsummedFolders } from "./pages.ts";
import { readTree, type Tree } from "./tree.ts";
import { assertHeld, type Exclusively, replaceFile } from "./write.ts";

export interface Rebuilt {
  readonly nodeCount: number;
  readonly hash: string;
  /** Paths from the project's root down. */
  readonly written: readonly string[];
  readonly removed: readonly string[];
  readonly warnings: readonly string[];
}

export async function rebuildIndex(
  places: KnowledgePlaces,
  exclusively: Exclusively,
  dryRun = false,
): Promise<Rebuilt> {
  assertBase(places);
  return dryRun ? rebuilt(places) : exclusively(places.baseLock, (lock) => rebuilt(places, lock));
}

/** For whoever changes nodes and holds the lock already. Without one it only says what it would write. */
export function rebuilt(places: KnowledgePlaces, lock?: HeldLock): Rebuilt {
  const tree = readTree(places.nodesDir);
  assertReadable(tree, places);
  const { summaries, problems } = readSummaries(places.summariesFile);
  const hash = nodesHash(places.nodesDir);
  const pages = generatedPages({ nodes: tree.nodes, summaries, hash });
  const written: string[] = [];
  for (const [path, text] of pages) {
    const file = join(places.dir, path);
    if (textOf(file) === text) continue;
    if (lock) replaceFile(file, text, lock);
    written.push(relative(places.root, file));
  }
  const removed = tree.folders
    .map((folder) => join(places.nodesDir, folder, "index.md"))
    .filter(
      (file) => !pages.has(relative(places.dir, file).replaceAll("\\", "/")) && textOf(file)?.includes(GENERATED),
    );
  // Innermost first, so that a folder is empty when its turn comes.
  if (lock) for (const file of [...removed].reverse()) removePage(file, lock);
  return {
    nodeCount: tree.nodes.length,
    hash,
    written,
    removed: removed.map((file) => relative(places.root, file)),
    warnings: [
      ...problems.map((problem) => `FOLDER_SUMMARIES.md ${problem}`),
      ...unsummedFolders({ nodes: tree.nodes, summaries }).map(
        (folder) => `${folder} has no summary; its name is shown instead`,
      ),
    ],
  };
}

/** Whether what is generated is of the nodes as they are. */
export function isIndexStale(places: KnowledgePlaces): boolean {
  const text = textOf(places.entryFile);
  if (text === undefined) return listNodeFiles(places.nodesDir).files.length > 0;
  const parsed = parseFrontMatter(text);
  return typeof parsed === "string" || parsed.data.nodes_hash !== nodesHash(places.nodesDir);
}

export function assertBase({ dir, root }: KnowledgePlaces): void {
  if (!existsSync(dir)) throw new HoldfastError("HF1101", `there is no ${relative(root, dir)} in this project`);
}

/** One error that names every file: a person mends them all before the next try. */
export function assertReadable({ problems }: Tree, { root }: KnowledgePlaces): void {
  const [first, ...more] = problems;
  if (!first) return;
  const message = [first, ...more].map(({ file, message: what }) => `${relative(root, file)} ${what}`).join("\n  ");
  throw new HoldfastError("HF1102", message, { file: first.file });
}

function removePage(file: string, lock: HeldLock): void {
  assertHeld(lock);
  rmSync(file, { force: true });
  if (readdirSync(dirname(file)).length === 0) rmdirSync(dirname(file));
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
