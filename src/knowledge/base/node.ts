/** One piece of knowledge, a Markdown file. Its id is who it is; its folder is only where it is shown. */
import { readFileSync } from "node:fs";
import { HoldfastError } from "../../core/errors.ts";
import { checkFields, type Fields, list, oneOf, optional, type Problem, text } from "../../core/fields.ts";
import type { Json, JsonObject } from "../../core/json.ts";
import type { HeldLock } from "../lock.ts";
import { proseOf, withGeneratedSections } from "./body-sections.ts";
import { frontMatterText, parseFrontMatter } from "./front-matter.ts";
import { replaceFile } from "./write.ts";

export const NODE_TYPES = ["practice", "map"] as const;
export type NodeType = (typeof NODE_TYPES)[number];

export const CONFIDENCES = ["low", "medium", "high"] as const;
export type Confidence = (typeof CONFIDENCES)[number];

export const NODE_SCHEMA_VERSION = 3;
export const MAX_NODE_BYTES = 1024 * 1024;

export interface Node {
  readonly id: string;
  /** practice: how we build. map: what exists. */
  readonly type: NodeType;
  readonly title: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly derivedFrom: readonly string[];
  readonly relatesTo: readonly string[];
  readonly dependsOn: readonly string[];
  readonly confidence: Confidence;
  /** What people wrote, without the sections that are generated. */
  readonly body: string;
  /** Keys of the front matter that are not ours; they are kept. */
  readonly extra: JsonObject;
}

export interface NodeProblem {
  readonly file: string;
  /** As in "has no title". */
  readonly message: string;
}

export const isNodeProblem = (value: Node | NodeProblem): value is NodeProblem => !("id" in value);

export const NODE_FIELDS = {
  type: oneOf(NODE_TYPES, "practice: how we build; map: what exists"),
  title: text("one line"),
  description: text("what it says, in a sentence"),
  tags: list(text(), "topics, in lower case"),
  id: text("<type>-<slug>, the name of its file"),
  derived_from: optional(list(text(), "sessions, files or addresses it was learned from")),
  relates_to: optional(list(text(), "ids of nodes it has to do with")),
  depends_on: optional(list(text(), "ids of nodes that must hold for it to hold")),
  confidence: oneOf(CONFIDENCES, "how sure it is"),
} satisfies Fields;

export function readNode(file: string): Node | NodeProblem {
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch (error) {
    return { file, message: `cannot be read: ${(error as Error).message}` };
  }
  if (bytes.length > MAX_NODE_BYTES) return { file, message: `is larger than ${MAX_NODE_BYTES} bytes` };
  let source: string;
  try {
    source = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return { file, message: "is not UTF-8 text" };
  }
  const node = parseNode(source);
  return typeof node === "string" ? { file, message: node } : node;
}

/** A text says what is wrong with it. */
export function parseNode(source: string): Node | string {
  const parsed = parseFrontMatter(source);
  if (typeof parsed === "string") return parsed;
  const data = withoutPrefix(parsed.data);
  const version = data.schema_version;
  if (version !== NODE_SCHEMA_VERSION) {
    return version === undefined
      ? "has no schema_version"
      : `has schema_version ${JSON.stringify(version)}, and this release reads ${NODE_SCHEMA_VERSION}; write it anew with holdfast knowledge add`;
  }
  const known: Record<string, Json> = {};
  const extra: Record<string, Json> = {};
  for (const [key, value] of Object.entries(data)) {
    if (Object.hasOwn(NODE_FIELDS, key)) known[key] = value;
    else if (key !== "schema_version") extra[key] = value;
  }
  const [problem] = nodeProblems(known);
  if (problem) return `${problem.path.join(".")} ${problem.message}`;
  return {
    id: known.id as string,
    type: known.type as NodeType,
    title: oneLine(known.title as string),
    description: oneLine(known.description as string),
    tags: known.tags as string[],
    derivedFrom: (known.derived_from ?? []) as string[],
    relatesTo: (known.relates_to ?? []) as string[],
    dependsOn: (known.depends_on ?? []) as string[],
    confidence: known.confidence as Confidence,
    body: proseOf(parsed.body),
    extra,
  };
}

function nodeProblems(known: JsonObject): Problem[] {
  const problems = checkFields(known, NODE_FIELDS);
  if (problems.length > 0) return problems;
  if (!ID.test(known.id as string)) return [{ path: ["id"], message: "must be lower-case words joined by -" }];
  if ((known.title as string).trim() === "") return [{ path: ["title"], message: "must not be blank" }];
  return [];
}

const ID = /^[\p{Ll}\p{Lo}\p{M}\p{N}]+(?:-[\p{Ll}\p{Lo}\p{M}\p{N}]+)*$/u;

/** A base of the predecessor has the same keys behind `kk_`. Ours win where both stand. */
function withoutPrefix(data: JsonObject): JsonObject {
  const plain: Record<string, Json> = {};
  for (const [key, value] of Object.entries(data)) {
    const name = key.startsWith("kk_") ? key.slice(3) : key;
    if (name === key || !Object.hasOwn(data, name)) plain[name] = value;
  }
  return plain;
}

export const oneLine = (value: string): string => value.replace(/\s+/g, " ").trim();

export interface NodeLink {
  readonly title: string;
  /** From nodes/ down, with /. */
  readonly path: string;
}

/** The whole file. `link` finds a node by its id, for the section that lists what it has to do with. */
export function nodeText(node: Node, path: string, link: (id: string) => NodeLink | undefined): string {
  const front = frontMatterText({
    type: node.type,
    title: oneLine(node.title),
    description: oneLine(node.description),
    tags: [...node.tags],
    schema_version: NODE_SCHEMA_VERSION,
    id: node.id,
    derived_from: [...node.derivedFrom],
    relates_to: [...node.relatesTo],
    depends_on: [...node.dependsOn],
    confidence: node.confidence,
    ...node.extra,
  });
  return `${front}\n${withGeneratedSections(node, path, link)}`;
}

export function writeNode(file: string, text: string, lock: HeldLock): void {
  const problem = parseNode(text);
  if (typeof problem === "string") throw new HoldfastError("HF1103", `the node ${problem}`, { file });
  replaceFile(file, text, lock);
}
