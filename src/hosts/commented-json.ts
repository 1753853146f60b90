/** JSON with comments, and nothing else that JSON has not. */
import { stripComments } from "jsonc-parser";
import { HoldfastError } from "../core/errors.ts";
import { isJsonObject, type JsonObject } from "../core/json.ts";

export function objectIn(text: string, path: string): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(stripComments(text, " "));
  } catch (error) {
    throw new HoldfastError("HF401", `${path} is not valid JSON: ${(error as Error).message}`, { file: path });
  }
  if (isJsonObject(value)) return value;
  throw new HoldfastError("HF401", `${path} does not hold a JSON object`, { file: path });
}
