/** Inputs and outputs of tools as hooks see them. */
import { isJsonObject, type Json, type JsonObject } from "../core/json.ts";

/** As it would be written down: what JSON cannot hold is left out or spelled as JSON spells it. */
export function asJson(value: unknown): Json {
  const text = JSON.stringify(value);
  return text === undefined ? null : JSON.parse(text);
}

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
