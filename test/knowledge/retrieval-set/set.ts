/** The labelled set: nodes of several projects and prompts with the nodes that answer them. Written by hand, as data. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { SearchableNode } from "../../../src/knowledge/retrieval/search-index.ts";

export const KINDS = ["retrieval", "paraphrase", "refusal", "multi-hop", "script", "typo"] as const;
export type Kind = (typeof KINDS)[number];

export interface LabelledPrompt {
  readonly kind: Kind;
  readonly prompt: string;
  /** None: the prompt is about nothing that the base knows. */
  readonly relevant: readonly string[];
}

export interface LabelledNode extends SearchableNode {
  readonly path: string;
}

const folder = import.meta.dirname;

/** `= id | title | tags`, the description, the body, and `>` with what it relates to. */
export function labelledNodes(): LabelledNode[] {
  return readdirSync(join(folder, "nodes"))
    .sort()
    .flatMap((name) =>
      readFileSync(join(folder, "nodes", name), "utf8")
        .trim()
        .split(/\n\n+/)
        .map((block) => nodeOf(block, name.replace(/\.txt$/, ""))),
    );
}

function nodeOf(block: string, project: string): LabelledNode {
  const [head = "", description = "", ...rest] = block.split("\n");
  const [id, title, tags] = head.replace(/^= /, "").split(" | ");
  if (!id || !title || !tags || !description) throw new Error(`no node: ${block}`);
  const links = rest.filter((line) => line.startsWith("> ")).flatMap((line) => line.slice(2).split(", "));
  return {
    id,
    title,
    tags: tags.split(", "),
    description,
    body: rest.filter((line) => !line.startsWith("> ")).join("\n"),
    relatesTo: links,
    dependsOn: [],
    path: `${project}/${id}.md`,
  };
}

export interface LabelledPrompts {
  /** What weights and thresholds were chosen by. */
  readonly tuning: readonly LabelledPrompt[];
  /** What they were not. */
  readonly heldOut: readonly LabelledPrompt[];
}

/** `kind | prompt | ids`. Of each kind every second prompt is held out. */
export function labelledPrompts(): LabelledPrompts {
  const all = readFileSync(join(folder, "prompts.txt"), "utf8").trim().split("\n").map(promptOf);
  const half = (rest: 0 | 1) =>
    KINDS.flatMap((kind) => all.filter((item) => item.kind === kind).filter((_, at) => at % 2 === rest));
  return { tuning: half(0), heldOut: half(1) };
}

function promptOf(line: string): LabelledPrompt {
  const [kind, prompt, ids = ""] = line.split(/ \| ?/);
  const known = KINDS.find((name) => name === kind);
  if (!known || !prompt) throw new Error(`no prompt: ${line}`);
  return { kind: known, prompt, relevant: ids === "" ? [] : ids.split(", ") };
}
