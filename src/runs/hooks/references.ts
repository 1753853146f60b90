/**
 * What hooks are given, frozen without its secrets: what comes from the environment stays `${NAME}`, and a literal `$` is
 * written `$$`, so that nothing a variable holds can be taken for a reference.
 */
import type { ErrorPlace } from "../../core/errors.ts";
import { HookFailure } from "../../core/failure.ts";
import { isJsonObject, type Json } from "../../core/json.ts";
import { fillExpression, isReference } from "../assignment/load-time.ts";
import { assertKnown, literalsOf, replaceKeys } from "../assignment/template.ts";
import type { TemplateValue } from "./freeze.ts";

type Environment = Readonly<Record<string, string | undefined>>;
type Values = Readonly<Record<string, TemplateValue>>;

/** `with` as it is kept. A reference that cannot be filled in now is an error now. */
export function frozenConfig(value: Json, values: Values, env: Environment, place: ErrorPlace): Json {
  return mapTexts(value, (text) => {
    if (isReference(text)) {
      fillExpression(text, env, place);
      return text;
    }
    const fill = (key: string) => {
      assertKnown(key, Object.keys(values), place);
      const found = values[key] ?? null;
      return typeof found === "object" && found !== null ? `\${${found.envName}}` : escaped(String(found ?? ""));
    };
    return replaceKeys(text, fill, escaped);
  });
}

/** Whether a kept `with` can have come from this one as it was written: whatever its variables held, nothing else differs. */
export function isFrozenFrom(config: Json, written: Json): boolean {
  if (typeof written === "string") return typeof config === "string" && isFilledText(config, written);
  if (Array.isArray(written)) {
    return (
      Array.isArray(config) &&
      config.length === written.length &&
      written.every((item, at) => isFrozenFrom(config[at] as Json, item))
    );
  }
  if (!isJsonObject(written)) return config === written;
  if (!isJsonObject(config)) return false;
  const keys = Object.keys(written);
  return (
    Object.keys(config).length === keys.length &&
    keys.every((key) => Object.hasOwn(config, key) && isFrozenFrom(config[key] as Json, written[key] as Json))
  );
}

function isFilledText(text: string, written: string): boolean {
  if (isReference(written)) return text === written;
  const [first = "", ...others] = literalsOf(written).map(escaped);
  const last = others.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first)) return false;
  let end = first.length;
  for (const literal of others) {
    const at = text.indexOf(literal, end);
    if (at < 0) return false;
    end = at + literal.length;
  }
  return text.length - last.length >= end && text.endsWith(last);
}

/** What is decided now and is no secret: paths and filters. A text that is one key keeps the type of its value. */
export function filledNow(value: Json, values: Values, env: Environment, place: ErrorPlace): Json {
  return mapTexts(value, (text) => {
    const whole = /^\{\{\s*([A-Za-z0-9_.-]+)\s*\}\}$/.exec(text)?.[1];
    if (whole !== undefined && Object.hasOwn(values, whole)) return valueNow(values[whole] ?? null, env);
    return replaceKeys(text, (key) => {
      assertKnown(key, Object.keys(values), place);
      return String(valueNow(values[key] ?? null, env));
    });
  });
}

const valueNow = (value: TemplateValue, env: Environment): string | number | boolean =>
  typeof value === "object" && value !== null ? (env[value.envName] ?? "") : (value ?? "");

/** The config with its references filled in, for the one hook that is asked. */
export function filledConfig(value: Json, env: Environment): Json {
  return mapTexts(value, (text) =>
    text.replace(REFERENCE, (reference) => {
      if (reference === "$$") return "$";
      try {
        return fillExpression(reference, env);
      } catch (error) {
        throw new HookFailure("crash", `its options need ${(error as Error).message}`);
      }
    }),
  );
}

const REFERENCE = /\$\$|\$\{[A-Za-z_]\w*(?::?-[^}]*)?\}/g;
const escaped = (text: string) => text.replace(/\$/g, () => "$$");

function mapTexts(value: Json, change: (text: string) => Json): Json {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, change));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mapTexts(item, change)]));
}
