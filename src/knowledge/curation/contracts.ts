/** What models and skills hand over, declared once: the check, the published schema and the type come from here. */
import {
  checkFields,
  type Field,
  type Fields,
  list,
  nullable,
  object,
  oneOf,
  optional,
  type Problem,
  type ShapeOf,
  text,
  toJsonSchema,
} from "../../core/fields.ts";
import type { Json } from "../../core/json.ts";
import { CONFIDENCES, NODE_FIELDS, NODE_TYPES } from "../base/node.ts";

export const CANDIDATE_FIELDS = {
  type: oneOf(NODE_TYPES, "practice: how we build; map: what exists"),
  title: text("one line, at most some 80 characters"),
  description: text("what it says, in a sentence of at most some 140 characters"),
  tags: list(text(), "one to five topics, in lower case"),
  body: text("the whole of it, in Markdown"),
  confidence: oneOf(CONFIDENCES, "how sure it is"),
} satisfies Fields;

export const PROPOSED_NODE_FIELDS = {
  ...CANDIDATE_FIELDS,
  relates_to: optional(list(text(), "ids of nodes it has to do with")),
  depends_on: optional(list(text(), "ids of nodes that must hold for it to hold")),
} satisfies Fields;

export const ACTION_FIELDS = {
  action: oneOf(["add", "modify", "contradict", "drop"], "what to do with the candidate"),
  candidate_origin: text("<session>:<practice|map>:<number>, as holdfast knowledge curate --list has it"),
  target_node_id: nullable(text("the node to modify, or the one that is contradicted")),
  proposed_node: nullable(object(PROPOSED_NODE_FIELDS, "the node as it should be")),
  rationale: text("why, for the person who reviews it"),
  home_folder: nullable(text("where it goes, from nodes/ down; only with add")),
} satisfies Fields;

export type Candidate = ShapeOf<typeof CANDIDATE_FIELDS>;
export type ProposedNode = ShapeOf<typeof PROPOSED_NODE_FIELDS>;
export type Action = ShapeOf<typeof ACTION_FIELDS>;

const listOf = (fields: Fields): Field<readonly unknown[], false> => list(object(fields));

const proposals = { practice: listOf(CANDIDATE_FIELDS), map: listOf(CANDIDATE_FIELDS) } satisfies Fields;

interface Contract {
  readonly title: string;
  check(value: unknown): readonly Problem[];
  schema(): Json;
}

const ofFields = (title: string, fields: Fields): Contract => ({
  title,
  check: (value) => checkFields(value, fields),
  schema: () => toJsonSchema(fields),
});

/** By the name under which they are published. */
export const CONTRACTS: Readonly<Record<string, Contract>> = {
  "knowledge-node": ofFields("The front matter of a node", {
    ...NODE_FIELDS,
    schema_version: { ...text(), spec: { type: "integer" } },
  }),
  "knowledge-proposed-node": ofFields("A node as it is proposed", PROPOSED_NODE_FIELDS),
  "knowledge-proposals": ofFields("What a model made of a session", proposals),
  "knowledge-actions": {
    title: "What a curator would do with proposals",
    check: (value) =>
      Array.isArray(value)
        ? value.flatMap((action, index) => checkFields(action, ACTION_FIELDS, [index]))
        : [{ path: [], message: "must be a list of actions" }],
    schema: () => ({ items: toJsonSchema(ACTION_FIELDS), type: "array" }),
  },
};

/** As in "2.proposed_node.title must be a string, not nothing". */
export const problemText = ({ path, message }: Problem): string => `${path.join(".") || "the input"} ${message}`;
