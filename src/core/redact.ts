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

/** Records name the same few hooks, tools and kinds over and over. Ids and times, which differ, are longer. */
const CLEAN = new Set<string>();
const REMEMBERED_LENGTH = 24;
const MAX_CLEAN = 1_000;

const ANY_HINT = new RegExp(
  [...new Set([...TOKEN_RULES, ...CONTEXT_RULES].flatMap(({ hints }) => hints))]
    .map((hint) => hint.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"))
    .join("|"),
  "i",
);

function redactHinted(text: string): string {
  const lower = text.toLowerCase();
  const isHinted = ({ hints }: RedactionRule) => hints.some((hint) => lower.includes(hint));
  let clean = text;
  for (const rule of TOKEN_RULES) {
    if (isHinted(rule)) clean = clean.replace(rule.pattern, `[redacted:${rule.kind}]`);
  }
  for (const rule of CONTEXT_RULES) {
    if (isHinted(rule)) clean = clean.replace(rule.pattern, `$1[redacted:${rule.kind}]`);
  }
  return clean;
}

/**
 * A copy of a JSON value in which every string, and every value under a key such as `password`, is redacted; texts longer
 * than `maxTextCharacters` are cut, and say how long they were.
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
  if (Array.isArray(value)) return value.map((item) => walk(item, place, above, limit));
  const copy: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(value)) {
    const kept = walk(item, placeUnder(key, place), above, limit);
    if (key === "__proto__") Object.defineProperty(copy, key, { value: kept, enumerable: true });
    else copy[redactKey(key)] = kept;
  }
  return copy;
}

// No token is shorter than this; most keys are.
const SHORTEST_TOKEN_LENGTH = 16;

function redactKey(key: string): string {
  return key.length < SHORTEST_TOKEN_LENGTH ? key : redact(key);
}

function placeUnder(key: string, place: Place): Place {
  if (place === "below-secret") return place;
  const known = PLACES.get(key);
  if (known !== undefined) return known;
  if (PLACES.size >= MAX_PLACES) PLACES.clear();
  const found = placeOfKey(key);
  PLACES.set(key, found);
  return found;
}

/** Records have the same few keys over and over. */
const PLACES = new Map<string, Place>();
const MAX_PLACES = 1_000;

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
