import { CONTEXT_RULES, type RedactionRule, SECRET_KEY_ENDINGS, TOKEN_RULES } from "./redaction-rules.ts";

/**
 * The text with its secrets replaced by `[redacted:<kind>]`. Redact before cutting a text to a length: half a token is
 * still half a secret, and no longer looks like one.
 */
export function redact(text: string): string {
  if (CLEAN.has(text)) return text;
  // Nearly every text of a record is without a hint: one look tells.
  if (ANY_HINT.test(text)) return redactHinted(text);
  if (text.length < REMEMBERED_LENGTH) {
    if (CLEAN.size >= MAX_CLEAN) CLEAN.clear();
    CLEAN.add(text);
  }
  return text;
}

/** Records name the same few hooks, tools, sessions and places over and over; an id stands in three lines of its call. */
const CLEAN = new Set<string>();
const REMEMBERED_LENGTH = 128;
const MAX_CLEAN = 1_000;

const ANY_HINT = new RegExp(
  [...new Set([...TOKEN_RULES, ...CONTEXT_RULES].flatMap(({ hints }) => hints))]
    .map((hint) => hint.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"))
    .join("|"),
  "i",
);

function redactHinted(text: string): string {
  const lower = text.toLowerCase();
  let clean = text;
  for (const rule of TOKEN_RULES) {
    if (applies(rule, lower, clean)) clean = clean.replace(rule.pattern, `[redacted:${rule.kind}]`);
  }
  for (const rule of CONTEXT_RULES) {
    if (applies(rule, lower, clean)) clean = clean.replace(rule.pattern, `$1[redacted:${rule.kind}]`);
  }
  return clean;
}

/** Most texts with a hint hold no secret either, and to look for one takes less than to replace none. */
function applies({ hints, pattern }: RedactionRule, lower: string, text: string): boolean {
  for (const hint of hints) if (lower.includes(hint)) return text.search(pattern) !== -1;
  return false;
}

/**
 * A JSON value in which every string, and every value under a key such as `password`, is redacted; texts longer than
 * `maxTextCharacters` are cut, and say how long they were. What has nothing to be redacted is no copy.
 */
export function redactJson<T>(value: T, maxTextCharacters = Number.POSITIVE_INFINITY): T {
  return walk(value, "plain", [], maxTextCharacters) as T;
}

type Place = "plain" | "secret-value" | "below-secret";

/** Deeper than any real payload. With cycles cut too, writing a record cannot throw. */
export const MAX_DEPTH = 100;

function walk(value: unknown, place: Place, above: object[], limit: number): unknown {
  switch (typeof value) {
    case "string":
      return place === "plain" ? withinLimit(value, limit) : hide(value);
    case "number":
      return place === "plain" ? value : "[redacted:field]";
    case "bigint":
      return walk(String(value), place, above, limit);
    case "object":
      return value === null ? null : walkObject(value, place === "below-secret" ? place : "plain", above, limit);
    default:
      return value;
  }
}

/** Redacted before it is cut: half a secret no longer looks like one. */
function withinLimit(text: string, limit: number): string {
  if (text.length <= limit) return redact(text);
  return `${redact(text.slice(0, 2 * limit)).slice(0, limit)}… (${text.length} characters)`;
}

function walkObject(value: object, place: Place, above: object[], limit: number): unknown {
  if (above.includes(value)) return "[redacted:cycle]";
  if (above.length >= MAX_DEPTH) return "[redacted:too-deep]";
  above.push(value);
  const copy = copied(value, place, above, limit);
  above.pop();
  return copy;
}

function copied(value: object, place: Place, above: object[], limit: number): unknown {
  if ("toJSON" in value && typeof value.toJSON === "function") return walk(value.toJSON(), place, above, limit);
  if (Array.isArray(value)) return walkArray(value, place, above, limit);
  const given = value as Record<string, unknown>;
  const keys = Object.keys(given);
  let copy = isPlain(value) ? undefined : {};
  // No pairs: a record may have hundreds of keys, and a pair is an array each.
  for (let index = 0; index < keys.length; index++) {
    const key = keys[index] as string;
    const item = given[key];
    const known = KEYS.get(key) ?? look(key);
    const under = place === "below-secret" ? place : known.place;
    const kept = typeof item === "number" && under === "plain" ? item : walk(item, under, above, limit);
    const { name } = known;
    if (copy === undefined) {
      if (kept === item && name === key) continue;
      copy = {};
      for (let before = 0; before < index; before++) put(copy, keys[before] as string, given[keys[before] as string]);
    }
    put(copy, name, kept);
  }
  return copy ?? value;
}

function walkArray(items: readonly unknown[], place: Place, above: object[], limit: number): readonly unknown[] {
  let isChanged = false;
  const kept = items.map((item) => {
    const clean = walk(item, place, above, limit);
    if (clean !== item) isChanged = true;
    return clean;
  });
  return isChanged ? kept : items;
}

/** Anything else may be written as other text than its keys and values are: a string that is an object, say. */
function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function put(copy: Record<string, unknown>, key: string, value: unknown): void {
  if (key === "__proto__") Object.defineProperty(copy, key, { value, enumerable: true });
  else copy[key] = value;
}

// No token is shorter than this; most keys are.
const SHORTEST_TOKEN_LENGTH = 16;

interface Key {
  /** Where what stands under it is. */
  readonly place: Place;
  readonly name: string;
}

/** Records have the same few keys over and over. */
const KEYS = new Map<string, Key>();
const MAX_KEYS = 1_000;

function look(key: string): Key {
  const name = key.length < SHORTEST_TOKEN_LENGTH ? key : redact(key);
  const found = { place: placeOfKey(key), name };
  if (key.length > REMEMBERED_LENGTH) return found;
  if (KEYS.size >= MAX_KEYS) KEYS.clear();
  KEYS.set(key, found);
  return found;
}

function placeOfKey(key: string): Place {
  const name = key.toLowerCase().replace(/[_\-. ]/g, "");
  const endsIn = (endings: readonly string[]) => endings.some((ending) => name.endsWith(ending));
  if (endsIn(SECRET_KEY_ENDINGS.deep)) return "below-secret";
  return endsIn(SECRET_KEY_ENDINGS.shallow) ? "secret-value" : "plain";
}

/** A reference to a secret, such as `$TOKEN`, says more than `[redacted]` and gives nothing away. */
function hide(value: string): string {
  return REFERENCE.test(value) ? value : "[redacted:field]";
}

const REFERENCE = /^(?:\$[A-Z_][A-Z0-9_]*|\$\{[^}]*\}+|\$\([^)]*\)|\{\{[^}]*\}\}|<[^>]*>|\[redacted:[a-z-]+\]|)$/;
