/** A proposal that contradicts a node: written down for people, beside the nodes and never into them. */
import { randomUUID } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { escaped } from "../base/author-text.ts";
import type { HeldBase } from "../base/change-nodes.ts";
import { frontMatterText, parseFrontMatter } from "../base/front-matter.ts";
import { replaceFile } from "../base/write.ts";
import type { KnowledgePlaces } from "../places.ts";
import type { ProposedNode } from "./contracts.ts";

export interface Conflict {
  readonly runId: string;
  readonly detectedAt: string;
  readonly origin: string;
  readonly targetId: string | null;
  readonly rationale: string;
  readonly node: Omit<ProposedNode, "relates_to" | "depends_on">;
}

/** Returns the file, from the project's root down. */
export function writeConflict({ places, lock }: HeldBase, conflict: Conflict): string {
  const id = begunFor(places, conflict) ?? freeName(places, conflict.runId);
  const file = join(places.conflictsDir, `${id}.md`);
  replaceFile(file, conflictText(id, conflict), lock);
  return relative(places.root, file);
}

export function conflictFiles({ conflictsDir }: KnowledgePlaces): string[] {
  if (!existsSync(conflictsDir)) return [];
  return readdirSync(conflictsDir)
    .filter((name) => name.endsWith(".md"))
    .sort();
}

/** Of somebody who was killed before it was a decision: for one proposal there is one conflict with a node. */
function begunFor(places: KnowledgePlaces, { origin, targetId }: Conflict): string | undefined {
  const found = conflictFiles(places).find((name) => {
    const read = parseFrontMatter(readFileSync(join(places.conflictsDir, name), "utf8"));
    if (typeof read === "string") return false;
    const { status, candidate_origin, target_node_id } = read.data;
    return status === "pending" && candidate_origin === origin && target_node_id === targetId;
  });
  return found === undefined ? undefined : basename(found, ".md");
}

function freeName({ conflictsDir }: KnowledgePlaces, runId: string): string {
  for (let number = 1; ; number++) {
    const name = `${runId}-${number}`;
    if (!existsSync(join(conflictsDir, `${name}.md`))) return name;
  }
}

function conflictText(id: string, { runId, detectedAt, origin, targetId, rationale, node }: Conflict): string {
  const front = frontMatterText({
    id,
    status: "pending",
    detected_at: detectedAt,
    run_id: runId,
    candidate_origin: origin,
    target_node_id: targetId,
    proposed_kind: node.type,
    proposed_title: node.title,
    proposed_confidence: node.confidence,
  });
  const proposed = [`### ${escaped(node.title)}`, escaped(node.description), indented(node.body)];
  return `${front}\n## Rationale\n\n${escaped(rationale)}\n\n## Proposed node\n\n${proposed.join("\n\n")}\n`;
}

/** As a quote: headings in it are not ours. */
const indented = (text: string) =>
  text
    .trim()
    .split(/\r?\n/)
    .map((line) => (line === "" ? ">" : `> ${line}`))
    .join("\n");

/** Sorts by time, and no two are alike. */
export const newRunId = (now: Date): string =>
  `${now.toISOString().replace(/[-:]/g, "").slice(0, 15)}-${randomUUID().slice(0, 6)}`;
