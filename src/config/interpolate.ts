import { HoldfastError } from "../core/errors.ts";
import type { Json } from "../core/json.ts";
import type { Environment } from "./places.ts";

const REFERENCE = /\$\{([A-Z0-9_]+)(?::-([^}]*))?\}/g;

/** The upper-case `${NAME}` references in a value; `$NAME` and lower-case names are the shell's. */
export function references(value: Json): string[] {
  const names = new Set<string>();
  walk(value, (text) => {
    for (const [, name] of text.matchAll(REFERENCE)) names.add(name as string);
    return text;
  });
  return [...names].sort();
}

export function interpolate<T extends Json>(value: T, env: Environment): T {
  return walk(value, (text) =>
    text.replace(REFERENCE, (_, name: string, fallback: string | undefined) => {
      const found = env[name] ?? fallback;
      if (found === undefined) throw new HoldfastError("HF104", `\${${name}} is not set`, { key: name });
      return found;
    }),
  ) as T;
}

function walk(value: Json, change: (text: string) => string): Json {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((item) => walk(item, change));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, walk(item, change)]));
}
