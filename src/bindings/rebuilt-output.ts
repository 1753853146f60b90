/**
 * An output on its way from hooks to the model, in the form the tool gave it: hooks look at JSON, SDKs have more than
 * that (bytes, dates, blocks of their own). What hooks left as it was is handed on as it was, if JSON says all of it.
 */
import { isJsonObject, type Json, sameJson } from "../core/json.ts";

/** As hooks see it: what JSON cannot hold is left out or spelled as JSON spells it. */
export function asJson(value: unknown): Json {
  const text = JSON.stringify(value);
  return text === undefined ? null : JSON.parse(text);
}

/** What hooks made of an output. Where JSON hides something of the original (a Map, an object with methods), what they saw. */
export function rebuilt(original: unknown, made: Json): unknown {
  if (isWhole(original) && sameJson(asJson(original), made)) return original;
  if (Array.isArray(original) && Array.isArray(made)) {
    return made.map((item, at) => {
      const kept = original.find((other) => isWhole(other) && sameJson(asJson(other), item));
      return kept === undefined ? rebuilt(original[at], item) : kept;
    });
  }
  if (!isPlain(original) || !isJsonObject(made)) return made;
  return Object.fromEntries(Object.entries(made).map(([key, value]) => [key, rebuilt(original[key], value)]));
}

/** JSON says all that is in it: no hook was shown less than there is. */
function isWhole(value: unknown): boolean {
  if (typeof value === "function" || typeof value === "symbol") return false;
  if (typeof value !== "object" || value === null) return true;
  if (value instanceof Date || ArrayBuffer.isView(value)) return true;
  if (Array.isArray(value)) return value.every(isWhole);
  return isPlain(value) && Reflect.ownKeys(value).every((key) => typeof key === "string" && isWhole(value[key]));
}

function isPlain(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null || "toJSON" in value) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
