/** The first thing that a schema finds wrong with what a person wrote: where, what in plain words, and the nearest valid name. */
import { z } from "zod";
import { isJsonObject, type Json } from "../core/json.ts";
import { nearest } from "../core/nearest.ts";
import { plainIssue } from "../core/plain-issue.ts";

export type Path = readonly (string | number)[];

export interface PlainProblem {
  /** Of the value; of a key that may not stand there, of what it stands in. */
  readonly path: Path;
  readonly unknownKey?: string;
  /** To stand behind the path. */
  readonly words: string;
  readonly hint?: string;
}

export const plainProblem = (issues: readonly z.core.$ZodIssue[], schema: z.ZodType, data: Json): PlainProblem =>
  problemOf(telling(issues) as z.core.$ZodIssue, [], schema, data);

function problemOf(issue: z.core.$ZodIssue, above: Path, schema: z.ZodType, data: Json): PlainProblem {
  const path = [...above, ...(issue.path as Path)];
  const value = valueAt(data, path);
  if (issue.code === "unrecognized_keys") {
    const [unknownKey = ""] = issue.keys;
    const known = keysAt(schema, path);
    return { path, unknownKey, words: `has an unknown key "${unknownKey}"`, ...hintFor(unknownKey, known) };
  }
  if (issue.code === "invalid_union" && typeof value === "object") {
    const inner = telling(
      issue.errors.flat().filter(({ code, path: at }) => code === "unrecognized_keys" || at.length > 0),
    );
    if (inner) return problemOf(inner, path, schema, data);
  }
  const misspelt = issue.code === "invalid_union" ? telling(issue.errors.flat().filter(isOfValues)) : issue;
  const known = misspelt?.code === "invalid_value" && typeof value === "string" ? misspelt.values.map(String) : [];
  return { path, words: plainIssue(issue, value), ...(known.length > 0 ? hintFor(String(value), known) : {}) };
}

const isOfValues = ({ code }: z.core.$ZodIssue) => code === "invalid_value";

/** A misspelt key is also a missing one: the misspelling is what a person looks for. */
const telling = (issues: readonly z.core.$ZodIssue[]) =>
  issues.find(({ code }) => code === "unrecognized_keys") ?? issues[0];

function hintFor(written: string, known: readonly string[]): { hint?: string } {
  const meant = nearest(written, known);
  return meant ? { hint: `did you mean ${meant}?` } : {};
}

/** Names that may stand at a path, taken from the schema itself. */
export function keysAt(schema: unknown, path: Path): string[] {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodNullable) {
    return keysAt(schema.unwrap(), path);
  }
  if (schema instanceof z.ZodPipe) return keysAt(schema.in, path);
  if (schema instanceof z.ZodUnion) return schema.options.flatMap((option) => keysAt(option, path));
  const [first, ...rest] = path;
  if (schema instanceof z.ZodObject) {
    if (first === undefined) return Object.keys(schema.shape);
    return keysAt(schema.shape[first], rest);
  }
  if (schema instanceof z.ZodArray) return keysAt(schema.element, rest);
  return schema instanceof z.ZodRecord ? keysAt(schema.valueType, rest) : [];
}

function valueAt(data: Json, path: Path): Json | undefined {
  let value: Json | undefined = data;
  for (const key of path) {
    if (Array.isArray(value)) value = value[key as number];
    else if (isJsonObject(value)) value = value[key as string];
    else return undefined;
  }
  return value;
}
