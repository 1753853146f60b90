/** Values that authors' code hands us, as plain data. What is not data is refused by name, not dropped. */
import { HookFailure } from "../core/failure.ts";
import type { Json } from "../core/json.ts";

/** A copy of the value that shares nothing with the author's. Only undefined fields are left out, as in JSON. */
export function toJson(value: unknown, path: string, above: readonly unknown[] = []): Json {
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number" && Number.isFinite(value)) return value;
  if (above.includes(value)) throw notData(path, "a value that contains itself");
  const within = [...above, value];
  if (Array.isArray(value)) return value.map((item, index) => toJson(item, `${path}[${index}]`, within));
  if (!isPlainObject(value)) throw notData(path, typeName(value));
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  return Object.fromEntries(entries.map(([key, item]) => [key, toJson(item, `${path}.${key}`, within)]));
}

export function isPlainObject(value: unknown): value is { readonly [key: string]: unknown } {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** What a value is, for people. */
export function typeName(value: unknown): string {
  if (value === null || value === undefined || typeof value === "boolean") return String(value);
  if (typeof value === "number") return Number.isFinite(value) ? "a number" : String(value);
  if (typeof value !== "object") return typeof value === "undefined" ? "undefined" : `a ${typeof value}`;
  if (Array.isArray(value)) return "a list";
  const name: unknown = value.constructor?.name;
  return typeof name === "string" && name !== "Object" && name !== "" ? `an instance of ${name}` : "an object";
}

const notData = (path: string, what: string) =>
  new HookFailure("invalid-answer", `answered ${path} with ${what}; only JSON data can leave a hook`);
