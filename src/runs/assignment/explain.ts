/** What is wrong with a definition, in a person's words: file, line, key, and the nearest valid name. */
import { z } from "zod";
import { type ErrorCode, type ErrorPlace, HoldfastError } from "../../core/errors.ts";
import { isJsonObject, type Json } from "../../core/json.ts";
import { nearest } from "../../core/nearest.ts";
import { plainIssue } from "../../core/plain-issue.ts";
import type { ConfigDocument } from "../../sources/document.ts";
import { PHASES } from "../run.ts";

type Path = readonly (string | number)[];

export function placeIn(document: ConfigDocument, path: Path, hint?: string): ErrorPlace {
  const line = document.lineOf(path);
  return { file: document.file, key: path.join("."), ...(line ? { line } : {}), ...(hint ? { hint } : {}) };
}

/** The value as its schema reads it; throws the first thing that is wrong with it. */
export function parsed<S extends z.ZodType>(schema: S, data: Json, document: ConfigDocument): z.output<S> {
  const result = schema.safeParse(data);
  if (result.success) return result.data;
  throw explained(telling(result.error.issues) as z.core.$ZodIssue, [], schema, data, document);
}

function explained(
  issue: z.core.$ZodIssue,
  above: Path,
  schema: z.ZodType,
  data: Json,
  document: ConfigDocument,
): HoldfastError {
  const path = [...above, ...(issue.path as (string | number)[])];
  const fail = (code: ErrorCode, message: string, at: Path = path, hint?: string) =>
    new HoldfastError(code, message, placeIn(document, at, hint));
  const value = valueAt(data, path);
  const key = path.join(".") || "the front matter";
  if (issue.code === "unrecognized_keys") {
    const [unknown = ""] = issue.keys;
    const isPhase = path.length === 1 && path[0] === "hooks";
    const meant = nearest(unknown, isPhase ? PHASES : keysAt(schema, path));
    const hint = meant ? `did you mean ${meant}?` : undefined;
    return isPhase
      ? fail("HF1005", `unknown phase "${unknown}"`, [...path, unknown], hint)
      : fail("HF1004", `unknown key "${unknown}" in ${key}`, [...path, unknown], hint);
  }
  if (issue.code === "invalid_union" && isJsonObject(value)) {
    const inner = telling(
      issue.errors.flat().filter(({ code, path: at }) => code === "unrecognized_keys" || at.length > 0),
    );
    if (inner) return explained(inner, path, schema, data, document);
  }
  if (issue.code === "invalid_value" && typeof value === "string") {
    const known = issue.values.map(String);
    const meant = nearest(value, known);
    const hint = meant ? `did you mean ${meant}?` : undefined;
    return fail("HF1003", `${key} must be ${known.join(" or ")}, not "${value}"`, path, hint);
  }
  return fail("HF1003", `${key}: ${plainIssue(issue, value)}`);
}

/** A misspelt key is also a missing one: the misspelling is what a person looks for. */
const telling = (issues: readonly z.core.$ZodIssue[]) =>
  issues.find(({ code }) => code === "unrecognized_keys") ?? issues[0];

/** Names that may stand at a path, taken from the schema itself. */
function keysAt(schema: unknown, path: Path): string[] {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodNullable) {
    return keysAt(schema.unwrap(), path);
  }
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
