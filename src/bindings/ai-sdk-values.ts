/** Inputs and outputs of tools as hooks see them. */
import { isJsonObject, type JsonObject } from "../core/json.ts";
import { asJson } from "./rebuilt-output.ts";

/** Hooks look at objects; another input is shown to them as one. */
export function toolInput(given: unknown): JsonObject {
  const input = asJson(given);
  return isJsonObject(input) ? input : { input };
}

/** A tool may yield its output bit by bit: the last is the whole. */
export async function lastOf(output: unknown): Promise<unknown> {
  const value = await output;
  if (typeof value !== "object" || value === null || !(Symbol.asyncIterator in value)) return value;
  let last: unknown;
  for await (const part of value as AsyncIterable<unknown>) last = part;
  return last;
}
