/** Reading a host's payload at the edge: what must be there is asked for, what may be there is taken as it comes. */
import { HoldfastError } from "../core/errors.ts";
import { isJsonObject, type Json, type JsonObject } from "../core/json.ts";

/** A text the payload cannot do without. */
export function requiredText(payload: JsonObject, field: string, host: string): string {
  const value = payload[field];
  if (typeof value === "string" && value !== "") return value;
  throw unusable(host, `"${field}" must be a text`);
}

export function requiredObject(payload: JsonObject, field: string, host: string): JsonObject {
  const value = payload[field];
  if (isJsonObject(value)) return value;
  throw unusable(host, `"${field}" must be an object`);
}

export function unusable(host: string, problem: string): HoldfastError {
  return new HoldfastError("HF301", `this is not a payload of ${host}: ${problem}`);
}

export const textOr = <D>(value: Json | undefined, otherwise: D): string | D =>
  typeof value === "string" ? value : otherwise;

export const filledOr = <D>(value: Json | undefined, otherwise: D): string | D =>
  typeof value === "string" && value !== "" ? value : otherwise;

/** A whole number from 0 up, or null. */
export function countOrNull(value: Json | undefined): number | null {
  const whole = typeof value === "number" ? Math.round(value) : -1;
  return Number.isSafeInteger(whole) && whole >= 0 ? whole : null;
}

/**
 * The event's name, even from a text that is cut off or otherwise no JSON. A tool's input may hold a field of the same
 * name: where the text names several events, none is believed, and the caller takes the safe path.
 */
export function digEventName(text: string, field: string): string | undefined {
  try {
    const payload: unknown = JSON.parse(text);
    return isJsonObject(payload) ? filledOr(payload[field], undefined) : undefined;
  } catch {
    const names = new Set([...text.matchAll(new RegExp(`"${field}"\\s*:\\s*"(\\w+)"`, "g"))].map(([, name]) => name));
    return names.size === 1 ? [...names][0] : undefined;
  }
}
