/** Nodes that may be out of date: files they speak of changed after the node did. It informs and never fails. */
import { relative } from "node:path";
import { KNOWLEDGE_FOLDER, type KnowledgePlaces } from "../places.ts";
import { byCodePoint } from "./author-text.ts";
import { gitList, isGitProblem } from "./git.ts";
import { type PlacedNode, readTree } from "./tree.ts";

export interface Aged {
  readonly id: string;
  readonly file: string;
  /** Files of the project that changed since. */
  readonly changed: readonly string[];
}

export interface Freshness {
  readonly aged: readonly Aged[];
  /** Why nothing could be said. */
  readonly problem?: string;
}

/** How many commits back it looks. A node older than that is as old as the oldest of them. */
const WINDOW = 500;

export async function freshness(places: KnowledgePlaces): Promise<Freshness> {
  const { nodes } = readTree(places.nodesDir);
  const referring = nodes
    .map((node) => ({ node, paths: referencedPaths(node) }))
    .filter(({ paths }) => paths.length > 0);
  if (referring.length === 0) return { aged: [] };
  const [tracked, history, uncommitted] = await Promise.all([
    gitList(places.root, ["ls-files", "-z"]),
    gitList(places.root, ["log", "-z", `--max-count=${WINDOW}`, "--relative", "--name-only", `--format=${MARK}%H`]),
    gitList(places.root, ["ls-files", "-z", "--modified", "--others", "--", KNOWLEDGE_FOLDER]),
  ]);
  if (isGitProblem(tracked)) return { aged: [], problem: tracked.problem };
  if (isGitProblem(history)) return { aged: [], problem: history.problem };
  if (isGitProblem(uncommitted)) return { aged: [], problem: uncommitted.problem };
  const isTracked = new Set(tracked);
  const age = ages(history);
  const inWork = new Set(uncommitted);
  const aged = referring.flatMap(({ node, paths }): Aged[] => {
    const file = relative(places.root, node.file).replaceAll("\\", "/");
    // Somebody is at it right now.
    if (inWork.has(file)) return [];
    const written = age.get(file) ?? WINDOW;
    const changed = paths.filter((path) => isTracked.has(path) && (age.get(path) ?? WINDOW) < written);
    return changed.length === 0 ? [] : [{ id: node.id, file, changed }];
  });
  return { aged: aged.sort((a, b) => byCodePoint(a.id, b.id)) };
}

const MARK = "\u0001";

/** How many commits ago each file changed last. */
function ages(history: readonly string[]): ReadonlyMap<string, number> {
  const age = new Map<string, number>();
  let commit = -1;
  for (const part of history) {
    // Between a commit's line and its files git leaves a line break.
    const name = part.replace(/^\n+/, "");
    if (name.startsWith(MARK)) commit++;
    else if (name !== "" && !age.has(name)) age.set(name, commit);
  }
  return age;
}

/** Links, code spans and sources that look like files of the project. */
export function referencedPaths({ body, derivedFrom }: Pick<PlacedNode, "body" | "derivedFrom">): string[] {
  const links = [...body.matchAll(/\]\(([^()\s]+)\)/g)].map(([, target = ""]) => target);
  const spans = [...body.matchAll(/`([^`\n]+)`/g)].map(([, code = ""]) => code);
  const paths = [...links, ...spans, ...derivedFrom]
    .map((path) =>
      path
        .replace(/#.*$/, "")
        .replace(/:\d+(?:-\d+)?$/, "")
        .replace(/^\.?\//, ""),
    )
    .filter((path) => path.includes("/") && !/\s|^\w+:/.test(path) && !path.startsWith(`${KNOWLEDGE_FOLDER}/`));
  return [...new Set(paths)].sort(byCodePoint);
}
