/** What is wrong with a base (errors) and what could be better (findings), each with what to do about it. */
import { existsSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import type { KnowledgePlaces } from "../places.ts";
import { blockState } from "./agents-block.ts";
import { byCodePoint } from "./author-text.ts";
import { withParents } from "./folder.ts";
import { splitFrontMatter } from "./front-matter.ts";
import { nodeId, slugOf } from "./node-id.ts";
import { type Redirects, readRedirects, resolveId } from "./redirects.ts";
import { type PlacedNode, readTree, type Tree } from "./tree.ts";

export const LINT_RULES = {
  "unreadable-node": "error",
  conformance: "error",
  "dangling-edge": "error",
  "slug-id-mismatch": "error",
  "missing-folder-index": "error",
  "redirected-edge": "finding",
  "tag-near-duplicate": "finding",
  "tag-whitespace": "finding",
  "empty-summary": "finding",
  orphan: "finding",
  "agents-block": "finding",
  "damaged-redirects": "finding",
} as const;

export type LintRule = keyof typeof LINT_RULES;

export interface LintEntry {
  readonly rule: LintRule;
  readonly severity: "error" | "finding";
  /** From the project's root down. */
  readonly file: string;
  readonly message: string;
  readonly action: string;
}

type Found = Omit<LintEntry, "severity">;

export interface LintReport {
  readonly entries: readonly LintEntry[];
  readonly errors: number;
  readonly findings: number;
}

export function lintBase(places: KnowledgePlaces): LintReport {
  const tree = readTree(places.nodesDir);
  const redirects = readRedirects(places.redirectsFile);
  const name = (file: string) => relative(places.root, file).replaceAll("\\", "/");
  const ids = new Set(tree.nodes.map(({ id }) => id));
  const found = [
    ...unreadable(tree, name),
    ...indexPages(tree, places, name),
    ...tree.nodes.flatMap((node) => [
      ...naming(node, name),
      ...edges(node, ids, redirects, name),
      ...texts(node, name),
    ]),
    ...tags(tree, name),
    ...orphans(tree, name),
    ...agentsBlock(places, name),
    ...damagedRedirects(redirects, places, name),
  ];
  const entries = found
    .map((entry): LintEntry => ({ ...entry, severity: LINT_RULES[entry.rule] }))
    .sort((a, b) => byCodePoint(a.rule, b.rule) || byCodePoint(a.file, b.file) || byCodePoint(a.message, b.message));
  const errors = entries.filter(({ severity }) => severity === "error").length;
  return { entries, errors, findings: entries.length - errors };
}

type Name = (file: string) => string;

const unreadable = ({ problems }: Tree, name: Name): Found[] =>
  problems.map(({ file, message }) => ({
    rule: "unreadable-node",
    file: name(file),
    message,
    action: "mend the file, or restore it with git",
  }));

function indexPages(tree: Tree, { nodesDir }: KnowledgePlaces, name: Name): Found[] {
  const needed = new Set(tree.nodes.flatMap(({ folder }) => withParents(folder)));
  const all = [...new Set([...needed, ...tree.folders])];
  return all.flatMap((folder): Found[] => {
    const file = join(nodesDir, folder, "index.md");
    if (!existsSync(file)) {
      if (!needed.has(folder)) return [];
      const message = "the folder has nodes and no index.md";
      return [{ rule: "missing-folder-index", file: name(file), message, action: "run holdfast knowledge index" }];
    }
    const yaml = splitFrontMatter(readFileSync(file, "utf8"))?.yaml.replaceAll("\r\n", "\n");
    const expected = folder === "" ? "okf_version: '0.1'\n" : undefined;
    if (yaml === expected) return [];
    const message = folder === "" ? "must have the front matter okf_version: '0.1'" : "must have no front matter";
    return [{ rule: "conformance", file: name(file), message, action: "run holdfast knowledge index" }];
  });
}

function naming(node: PlacedNode, name: Name): Found[] {
  const slug = node.id.slice(node.type.length + 1);
  const found = (message: string, action: string): Found[] => [
    { rule: "slug-id-mismatch", file: name(node.file), message, action },
  ];
  if (nodeId(node.type, slug) !== node.id || slug === "")
    return found(
      `the id ${node.id} does not begin with ${node.type}-`,
      `call it ${nodeId(node.type, slugOf(node.title))}`,
    );
  if (slugOf(slug) !== slug) return found(`the id ${node.id} is no slug`, `call it ${nodeId(node.type, slugOf(slug))}`);
  if (!node.path.endsWith(`${node.id}.md`) || node.path.split("/").at(-1) !== `${node.id}.md`)
    return found(`the file is not named after the id ${node.id}`, `rename it to ${node.id}.md`);
  return [];
}

function edges(node: PlacedNode, ids: ReadonlySet<string>, redirects: Redirects, name: Name): Found[] {
  return [...new Set([...node.relatesTo, ...node.dependsOn])].flatMap((target): Found[] => {
    if (ids.has(target)) return [];
    const now = resolveId(target, (id) => ids.has(id), redirects);
    const file = name(node.file);
    if (now.length === 0) {
      const message = `refers to ${target}, which is no node`;
      return [{ rule: "dangling-edge", file, message, action: "take the reference out, or name the node meant" }];
    }
    const message = `refers to ${target}, which is ${now.join(", ")} now`;
    return [{ rule: "redirected-edge", file, message, action: `write ${now.join(", ")} instead` }];
  });
}

const texts = (node: PlacedNode, name: Name): Found[] =>
  node.description.trim() === ""
    ? [
        {
          rule: "empty-summary",
          file: name(node.file),
          message: "has no description",
          action: "say in a sentence what it says",
        },
      ]
    : [];

function tags({ nodes }: Tree, name: Name): Found[] {
  const spellings = new Map<string, Map<string, PlacedNode>>();
  const found: Found[] = [];
  for (const node of nodes) {
    for (const tag of node.tags) {
      if (/\s/u.test(tag)) {
        const message = `has the tag ${JSON.stringify(tag)}, with a space in it`;
        found.push({
          rule: "tag-whitespace",
          file: name(node.file),
          message,
          action: `write ${tag.trim().replace(/\s+/g, "-")}`,
        });
      }
      const key = bare(tag);
      const group = spellings.get(key) ?? new Map<string, PlacedNode>();
      if (!group.has(tag)) group.set(tag, node);
      spellings.set(key, group);
    }
  }
  for (const group of spellings.values()) {
    if (group.size < 2) continue;
    const names = [...group.keys()].sort(byCodePoint);
    const [first] = names as [string];
    const message = `the tags ${names.join(", ")} are nearly the same`;
    const { file } = group.get(first) as PlacedNode;
    found.push({ rule: "tag-near-duplicate", file: name(file), message, action: "use one of them everywhere" });
  }
  return found;
}

const bare = (tag: string) =>
  tag
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "")
    .replace(/s$/, "") || tag;

function orphans({ nodes }: Tree, name: Name): Found[] {
  const referred = new Set(
    nodes.flatMap(({ id, relatesTo, dependsOn }) => [...relatesTo, ...dependsOn].filter((target) => target !== id)),
  );
  return nodes
    .filter(
      ({ id, relatesTo, dependsOn }) =>
        ![...relatesTo, ...dependsOn].some((target) => target !== id) && !referred.has(id),
    )
    .map(({ file, id }) => ({
      rule: "orphan",
      file: name(file),
      message: `${id} has to do with no other node`,
      action: "name a node it relates to, if there is one",
    }));
}

function agentsBlock({ root }: KnowledgePlaces, name: Name): Found[] {
  const file = join(root, "AGENTS.md");
  const state = blockState(existsSync(file) ? readFileSync(file, "utf8") : undefined);
  if (state === "current") return [];
  const message = `its block about knowledge is ${state}`;
  return [{ rule: "agents-block", file: name(file), message, action: "run holdfast knowledge init" }];
}

const damagedRedirects = ({ problem }: Redirects, { redirectsFile }: KnowledgePlaces, name: Name): Found[] =>
  problem === undefined
    ? []
    : [{ rule: "damaged-redirects", file: name(redirectsFile), message: problem, action: "restore it with git" }];
