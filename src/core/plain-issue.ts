/** What a schema found wrong with a value, in a person's words, to stand behind its key: `must be a list, not "x"`. */
import type { Json } from "./json.ts";

/** Of zod's issues, what is needed here. */
export interface SchemaIssue {
  readonly code?: string | undefined;
  readonly message: string;
  readonly expected?: unknown;
  readonly values?: readonly unknown[];
  readonly origin?: unknown;
  readonly minimum?: unknown;
  readonly maximum?: unknown;
  readonly inclusive?: unknown;
  /** Of a choice: what each of the alternatives found. */
  readonly errors?: readonly (readonly SchemaIssue[])[];
}

/** What zod says by itself; anything else was written by whoever wrote the schema, for people. */
const ZODS_WORDS = /^(?:Invalid |Too (?:small|big):|Unrecognized key)/;

export function plainIssue({ code, message, ...issue }: SchemaIssue, value: Json | undefined): string {
  if (!ZODS_WORDS.test(message)) return message;
  switch (code) {
    case "invalid_type":
      return mustBe(typeWords(issue.expected), value);
    case "invalid_value":
      return mustBe(oneOf((issue.values ?? []).map(String)), value);
    case "too_small":
      return issue.minimum === 1 && issue.origin !== "number" && issue.origin !== "int"
        ? "must not be empty"
        : `must be ${measure(issue.origin, issue.inclusive === false ? "more than" : "at least", issue.minimum)}`;
    case "too_big":
      return `must be ${measure(issue.origin, issue.inclusive === false ? "less than" : "at most", issue.maximum)}`;
    case "invalid_union":
      return ofChoice(issue.errors ?? [], value);
    default:
      return `does not fit${value === undefined ? "" : `: ${shown(value)}`}`;
  }
}

function ofChoice(errors: readonly (readonly SchemaIssue[])[], value: Json | undefined): string {
  const found = errors.flatMap(([first]) => first ?? []);
  // Of the right kind, and wrong in some other way.
  const near = found.find(({ code }) => code !== "invalid_type");
  if (near) return plainIssue(near, value);
  return mustBe([...new Set(found.map(({ expected }) => typeWords(expected)))].join(" or "), value);
}

const typeWords = (expected: unknown) => TYPES[String(expected)] ?? String(expected);

const TYPES: Readonly<Record<string, string>> = {
  string: "text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "a block of keys",
  record: "a block of keys",
  null: "null",
};

const mustBe = (what: string, value: Json | undefined) =>
  value === undefined ? `is missing; it must be ${what}` : `must be ${what}, not ${shown(value)}`;

const oneOf = (values: readonly string[]) => (values.length === 1 ? values.join() : `one of ${values.join(", ")}`);

const measure = (origin: unknown, bound: string, size: unknown) => {
  const unit = origin === "string" ? " characters long" : origin === "array" ? " entries long" : "";
  return `${bound} ${size}${unit}`;
};

const MOST_SHOWN = 60;

function shown(value: Json): string {
  if (Array.isArray(value)) return "a list";
  if (value === null) return "nothing";
  if (typeof value === "object") return "a block of keys";
  const text = JSON.stringify(value);
  return text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text;
}
