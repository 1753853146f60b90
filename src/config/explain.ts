/** Schema issues in a person's words: what stands there, what may, the line, and the nearest valid name. */
import { z } from "zod";
import { type ErrorCode, type ErrorPlace, HoldfastError } from "../core/errors.ts";
import { isJsonObject, type Json, type JsonObject } from "../core/json.ts";
import { nearest } from "../core/nearest.ts";
import { plainIssue } from "../core/plain-issue.ts";
import type { Tunable } from "../core/tunable.ts";
import type { ConfigDocument } from "../sources/document.ts";
import { configSchema } from "./schema.ts";

export function placeOf(document: ConfigDocument, path: readonly (string | number)[], hint?: string): ErrorPlace {
  const line = document.lineOf(path);
  return { file: document.file, key: path.join("."), ...(line ? { line } : {}), ...(hint ? { hint } : {}) };
}

/** A schema issue in a person's words: what stands there, what may, and the nearest valid name. */
export function explain(
  issue: z.core.$ZodIssue,
  document: ConfigDocument,
  data: Json,
  catalogue: readonly Tunable[],
): HoldfastError[] {
  const path = issue.path as (string | number)[];
  const error = (code: ErrorCode, message: string, at = path, hint?: string) =>
    new HoldfastError(code, message, placeOf(document, at, hint));
  const key = path.join(".") || "the file";
  const value = valueAt(data, path);
  switch (issue.code) {
    case "unrecognized_keys": {
      const sources = SOURCES.filter((source) => isJsonObject(value) && source in value);
      if (sources.length > 1) return [error("HF205", `${key} has two sources: ${sources.join(" and ")}`)];
      return issue.keys.map((unknown) => {
        const known = knownKeys(path, catalogue);
        const meant = nearest(unknown, known);
        const hint = meant
          ? `did you mean ${meant}?`
          : known.length > 0
            ? `Remove it; keys that may stand there: ${known.join(", ")}`
            : undefined;
        return error("HF202", `unknown key "${unknown}" in ${key}`, [...path, unknown], hint);
      });
    }
    case "invalid_union": {
      if (path.at(-1) === "type") {
        const entry = path.at(-1) === "type" ? path.slice(0, -1) : path;
        const type = isJsonObject(valueAt(data, entry)) ? (valueAt(data, entry) as JsonObject).type : undefined;
        const what = type === undefined ? "has no type" : `has type ${JSON.stringify(type)}`;
        return [error("HF205", `hook ${entry.join(".")} ${what}; use command or module`, entry)];
      }
      const [, ...options] = issue.errors;
      const deepest = options.flat().concat(issue.errors[0] ?? []);
      const informative = deepest.filter((inner) => inner.code === "unrecognized_keys" || inner.path.length > 0);
      const misspelt = deepest.filter(
        (inner) => inner.code === "invalid_value" && typeof valueAt(data, [...path, ...pathOf(inner)]) === "string",
      );
      const chosen = informative.length > 0 && isJsonObject(value) ? informative : misspelt.slice(0, 1);
      if (chosen.length === 0)
        return [error("HF200", `${key} has a value that does not fit: ${JSON.stringify(value)}`)];
      return chosen.flatMap((inner) =>
        explain({ ...inner, path: [...path, ...inner.path] } as z.core.$ZodIssue, document, data, catalogue),
      );
    }
    case "invalid_value": {
      const known = issue.values.map(String);
      const meant = typeof value === "string" ? nearest(value, known) : undefined;
      return [error("HF200", `${key}: ${plainIssue(issue, value)}`, path, meant && `did you mean ${meant}?`)];
    }
    case "too_small":
      if (path.at(-1) === "hooks") return [error("HF206", `group ${path.slice(0, -1).join(".")} has no hooks`)];
      return [error("HF200", `${key}: ${plainIssue(issue, value)}`)];
    default:
      if (path.at(-1) === "hooks" && value === undefined)
        return [error("HF206", `group ${path.slice(0, -1).join(".")} has no hooks`)];
      if (path.at(-1) === "command" && !path.includes("approvals"))
        return [error("HF205", `hook ${path.slice(0, -1).join(".")} has no command`)];
      return [error("HF200", `${key}: ${plainIssue(issue, value)}`)];
  }
}

const pathOf = ({ path }: { readonly path: readonly PropertyKey[] }) => path as (string | number)[];

const SOURCES = ["command", "path", "name"];

/** Names that may stand where an unknown key was found, taken from the schema itself. */
const knownKeys = (path: readonly (string | number)[], catalogue: readonly Tunable[]): readonly string[] => [
  ...new Set(keysAt(configSchema(catalogue), path)),
];

function keysAt(schema: unknown, path: readonly (string | number)[]): string[] {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodNullable)
    return keysAt(schema.unwrap(), path);
  if (schema instanceof z.ZodPipe) return keysAt(schema.in, path);
  if (schema instanceof z.ZodUnion) return schema.options.flatMap((option) => keysAt(option, path));
  const [first, ...rest] = path;
  if (schema instanceof z.ZodObject)
    return first === undefined ? Object.keys(schema.shape) : keysAt(schema.shape[first], rest);
  if (schema instanceof z.ZodArray) return keysAt(schema.element, rest);
  return schema instanceof z.ZodRecord ? keysAt(schema.valueType, rest) : [];
}

function valueAt(data: Json, path: readonly (string | number)[]): Json | undefined {
  let value: Json | undefined = data;
  for (const key of path) {
    if (Array.isArray(value)) value = value[key as number];
    else if (isJsonObject(value)) value = value[key as string];
    else return undefined;
  }
  return value;
}
