/** The cases of a file, or everything that is wrong with it, each with its line. */
import type { z } from "zod";
import { HoldfastError } from "../../core/errors.ts";
import type { Json } from "../../core/json.ts";
import { nearest } from "../../core/nearest.ts";
import { plainIssue } from "../../core/plain-issue.ts";
import { readAnyDocument } from "../../sources/document.ts";
import { type PolicyCase, policyCases } from "./policy-case.ts";

export function readCases(file: string): PolicyCase[] {
  const { data, lineOf } = readAnyDocument(file);
  const refuse = (message: string, line = 1) =>
    new HoldfastError("HF200", message, {
      file,
      line,
      hint: "see docs/guide/testing-rules.md for what a case may say",
    });
  if (!Array.isArray(data))
    throw refuse(data === null ? "there is no case in it" : "cases are a list: begin each with -");
  if (data.length === 0) throw refuse("there is no case in it");
  const parsed = policyCases.safeParse(data);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.flatMap((issue) => problemsIn(issue, data));
  const [first] = problems.map(({ path }) => lineOf(path));
  const lines = problems.map(({ path, words }) => `case ${Number(path[0]) + 1}, line ${lineOf(path) ?? "?"}: ${words}`);
  throw refuse(lines.join("\n             "), first);
}

type Path = (string | number)[];

/** A misspelt key is told before what is missing without it. */
function problemsIn(issue: z.core.$ZodIssue, data: Json): { path: Path; words: string }[] {
  const path = issue.path as Path;
  if (issue.code !== "unrecognized_keys") {
    const key = path.slice(1).join(".") || "it";
    return [{ path, words: `${key} ${plainIssue(issue, valueAt(data, path))}` }];
  }
  const known = Object.keys(
    path.at(-1) === "expect" ? policyCases.element.shape.expect.shape : policyCases.element.shape,
  );
  return issue.keys.map((key) => {
    const meant = nearest(key, known);
    const instead = meant ? `did you mean ${meant}?` : `keys are ${known.join(", ")}`;
    return { path: [...path, key], words: `unknown key "${key}"; ${instead}` };
  });
}

const valueAt = (data: Json, path: Path): Json | undefined =>
  path.reduce<Json | undefined>((value, key) => (value as Record<string | number, Json> | null)?.[key], data);
