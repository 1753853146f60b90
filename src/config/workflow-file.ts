/** What `.holdfast/workflow.toml` says of the project's tests: the workflow's tools keep it, and the guard goes by it too. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "smol-toml";
import { HoldfastError } from "../core/errors.ts";
import { isJsonObject, type JsonObject } from "../core/json.ts";

export const workflowFile = (root: string) => join(root, ".holdfast", "workflow.toml");

/** Undefined: no file, or nothing in it about tests. A file that cannot be read is an error: a guard goes by it. */
export function workflowFacts(root: string): JsonObject | undefined {
  const file = workflowFile(root);
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
  let data: unknown;
  try {
    data = parse(text);
  } catch (error) {
    throw new HoldfastError("HF102", (error as Error).message.split("\n")[0] ?? "not valid TOML", { file });
  }
  const patterns = isJsonObject(data) && isJsonObject(data.hooks) ? data.hooks.test_patterns : undefined;
  if (patterns === undefined) return undefined;
  if (!Array.isArray(patterns) || !patterns.every((item) => typeof item === "string")) {
    throw new HoldfastError("HF200", "hooks.test_patterns must be a list of texts", {
      file,
      key: "hooks.test_patterns",
    });
  }
  return { test_patterns: patterns };
}
