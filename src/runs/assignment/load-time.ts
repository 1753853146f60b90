/**
 * `${VAR}`, `${VAR:-x}` and `${VAR-x}` as a definition is read: only where the whole value is one such expression.
 * Prose keeps anything else as it is; everywhere else a partial one is an error. What hooks are given (`with`) is not
 * touched here: it stays a reference until the hook is asked.
 */
import { HoldfastError } from "../../core/errors.ts";
import { isJsonObject, type Json } from "../../core/json.ts";
import type { ConfigDocument } from "../../sources/document.ts";
import { placeIn } from "./explain.ts";

type Environment = Readonly<Record<string, string | undefined>>;
type Path = readonly (string | number)[];

const EXPRESSION = /\$\{([A-Za-z_]\w*)(?:(:?-)([^}]*))?\}/;
const WHOLE = new RegExp(`^${EXPRESSION.source}$`);

const PROSE: readonly (string | number)[] = ["message", "callerInstructions", "title", "body", "description"];
/** Values of these are numbers or true and false, however the variable spells them. */
const PLAIN: readonly (string | number)[] = [
  "schemaVersion",
  "maxRetries",
  "timeoutSec",
  "unrestricted",
  "required",
  "continueOnFailure",
];

export function expandLoadTime(document: ConfigDocument, env: Environment): Json {
  return expand(document.data, []);

  function expand(value: Json, path: Path): Json {
    if (Array.isArray(value)) return value.map((item, index) => expand(item, [...path, index]));
    if (isJsonObject(value)) {
      const entries = Object.entries(value).map(([key, item]) => [key, expand(item, [...path, key])] as const);
      return Object.fromEntries(entries);
    }
    if (typeof value !== "string" || isInside(path, "with")) return value;
    if (WHOLE.test(value)) return typed(fillExpression(value, env, placeIn(document, path)), path);
    if (!EXPRESSION.test(value) || PROSE.includes(path.at(-1) ?? "") || isInside(path, "when")) return value;
    throw new HoldfastError(
      "HF1012",
      `${path.join(".")}: \${…} must be the whole value here, not a part of ${JSON.stringify(value)}`,
      placeIn(document, path),
    );
  }
}

export const isReference = (text: string): boolean => WHOLE.test(text);

/** The value of one whole expression. */
export function fillExpression(text: string, env: Environment, place = {}): string {
  const [, name = "", operator, fallback = ""] = WHOLE.exec(text) ?? [];
  const value = env[name];
  if (value !== undefined && !(operator === ":-" && value === "")) return value;
  if (operator !== undefined) return fallback;
  throw new HoldfastError("HF1012", `\${${name}} is not set in the environment`, place);
}

const isInside = (path: Path, key: string) => path.includes("hooks") && path.includes(key, path.indexOf("hooks"));

function typed(text: string, path: Path): Json {
  if (!PLAIN.includes(path.at(-1) ?? "")) return text;
  if (text === "true" || text === "false") return text === "true";
  return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
}
