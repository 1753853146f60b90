/** Schema issues in a person's words: what stands there, what may, the line, and the nearest valid name. */
import type { z } from "zod";
import { type ErrorCode, type ErrorPlace, HoldfastError } from "../core/errors.ts";
import { isJsonObject, type Json, type JsonObject } from "../core/json.ts";
import { nearest } from "../core/nearest.ts";
import type { Tunable } from "../core/tunable.ts";
import type { ConfigDocument } from "../sources/document.ts";
import { approvalEntry, approvalsStore, approvalWhen, approversEntry, escalateEntry } from "./approvals-schema.ts";
import { docsSection, drainSection, knowledgeSection, promptContextSection } from "./knowledge-schema.ts";
import { runsSection, workerSection } from "./runs-schema.ts";
import { agentSection, commandEntry, configSchema, hookGroup, moduleEntry } from "./schema.ts";

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
        const meant = nearest(unknown, knownKeys(path, catalogue));
        return error(
          "HF202",
          `unknown key "${unknown}" in ${key}`,
          [...path, unknown],
          meant && `did you mean ${meant}?`,
        );
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
      return [error("HF200", `${key}: ${issue.message}`, path, meant && `did you mean ${meant}?`)];
    }
    case "too_small":
      if (path.at(-1) === "hooks") return [error("HF206", `group ${path.slice(0, -1).join(".")} has no hooks`)];
      return [error("HF200", `${key}: ${issue.message}`)];
    default:
      if (path.at(-1) === "hooks" && value === undefined)
        return [error("HF206", `group ${path.slice(0, -1).join(".")} has no hooks`)];
      if (path.at(-1) === "command" && !path.includes("approvals"))
        return [error("HF205", `hook ${path.slice(0, -1).join(".")} has no command`)];
      return [error("HF200", `${key}: ${issue.message}`)];
  }
}

const pathOf = ({ path }: { readonly path: readonly PropertyKey[] }) => path as (string | number)[];

const SOURCES = ["command", "path", "name"];

/** Names that may stand where an unknown key was found, taken from the schema itself. */
function knownKeys(path: readonly (string | number)[], catalogue: readonly Tunable[]): readonly string[] {
  if (path.length === 0) return Object.keys(configSchema(catalogue).shape);
  if (path[0] === "guards")
    return path.length === 1 ? catalogue.map(({ name }) => name) : guardKeys(String(path[1]), catalogue);
  const approval = path[0] === "approvals" ? path.slice(1) : path[2] === "approvals" ? path.slice(3) : undefined;
  if (approval) return Object.keys(APPROVAL_SHAPES[String(approval[1] ?? "")] ?? {});
  if (path[0] === "approvals_store") return Object.keys(approvalsStore.shape);
  if (path[0] === "knowledge") return Object.keys(KNOWLEDGE_SHAPES[String(path[1] ?? "")] ?? {});
  if (path[0] === "runs") return Object.keys(path.length === 1 ? runsSection.shape : workerSection.shape);
  if (path[0] === "agents" && path.length === 2) return Object.keys(agentSection.shape);
  const entry = path.at(-2) === "hooks" && typeof path.at(-1) === "number";
  return entry ? Object.keys({ ...commandEntry.shape, ...moduleEntry.shape }) : Object.keys(hookGroup.shape);
}

const APPROVAL_SHAPES: Readonly<Record<string, object>> = {
  "": approvalEntry.shape,
  when: approvalWhen.shape,
  approvers: approversEntry.shape,
  escalate: escalateEntry.shape,
};

const KNOWLEDGE_SHAPES: Readonly<Record<string, object>> = {
  "": knowledgeSection.shape,
  prompt_context: promptContextSection.shape,
  drain: drainSection.shape,
  docs: docsSection.shape,
};

const guardKeys = (name: string, catalogue: readonly Tunable[]) => [
  "mode",
  ...Object.keys(catalogue.find((entry) => entry.name === name)?.options ?? {}),
];

function valueAt(data: Json, path: readonly (string | number)[]): Json | undefined {
  let value: Json | undefined = data;
  for (const key of path) {
    if (Array.isArray(value)) value = value[key as number];
    else if (isJsonObject(value)) value = value[key as string];
    else return undefined;
  }
  return value;
}
