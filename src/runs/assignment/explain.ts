/** What is wrong with a definition, in a person's words: file, line, key, and the nearest valid name. */
import type { z } from "zod";
import { type ErrorPlace, HoldfastError } from "../../core/errors.ts";
import type { Json } from "../../core/json.ts";
import type { ConfigDocument } from "../../sources/document.ts";
import { type Path, plainProblem } from "../plain-problem.ts";

export function placeIn(document: ConfigDocument, path: Path, hint?: string): ErrorPlace {
  const line = document.lineOf(path);
  return { file: document.file, key: path.join("."), ...(line ? { line } : {}), ...(hint ? { hint } : {}) };
}

/** The value as its schema reads it; throws the first thing that is wrong with it. */
export function parsed<S extends z.ZodType>(schema: S, data: Json, document: ConfigDocument): z.output<S> {
  const result = schema.safeParse(data);
  if (result.success) return result.data;
  const { path, unknownKey, words, hint } = plainProblem(result.error.issues, schema, data);
  const key = path.join(".") || "the front matter";
  if (unknownKey === undefined) throw new HoldfastError("HF1003", `${key}: ${words}`, placeIn(document, path, hint));
  const place = placeIn(document, [...path, unknownKey], hint);
  throw key === "hooks"
    ? new HoldfastError("HF1005", `unknown phase "${unknownKey}"`, place)
    : new HoldfastError("HF1004", `unknown key "${unknownKey}" in ${key}`, place);
}
