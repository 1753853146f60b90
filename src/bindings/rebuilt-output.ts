/**
 * An output on its way from hooks to the model, in the form the tool gave it: hooks look at JSON, SDKs have more than
 * that (bytes, dates, blocks of their own). What hooks left as it was is handed on as it was, if JSON says all of it.
 */
import { canonicalJson, isJsonObject, type Json, sameJson } from "../core/json.ts";

/** As hooks see it: what JSON cannot hold is left out or spelled as JSON spells it. */
export function asJson(value: unknown): Json {
  const text = JSON.stringify(value);
  return text === undefined ? null : JSON.parse(text);
}

/** What hooks made of an output. Where JSON hides something of the original (a Map, an object with methods), what they saw. */
export function rebuilt(original: unknown, made: Json): unknown {
  if (isWhole(original) && sameJson(asJson(original), made)) return original;
  if (Array.isArray(original) && Array.isArray(made)) {
    const whole = new Map(original.filter(isWhole).map((item) => [canonicalJson(asJson(item)), item]));
    return made.map((item, at) => whole.get(canonicalJson(item)) ?? rebuilt(original[at], item));
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
