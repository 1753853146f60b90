/** Known fields of a TOML table: read with a type and a default each, written back beside the keys nobody here knows. */
import { parse, stringify, TomlDate, TomlError, type TomlTable, type TomlValue } from "smol-toml";
import type { Json, JsonObject } from "../core/json.ts";

export interface Field<T> {
  readonly expected: string;
  readonly initial: T;
  /** Undefined when the value does not fit. */
  read(value: unknown): T | undefined;
}

export type Fields = Readonly<Record<string, Field<unknown>>>;
export type Values<F extends Fields> = { readonly [K in keyof F]: F[K] extends Field<infer T> ? T : never };
export type Sections = Readonly<Record<string, Fields>>;
export type SectionValues<S extends Sections> = { readonly [K in keyof S]: Values<S[K]> };

export const text = (initial = ""): Field<string> => ({
  expected: "a text",
  initial,
  read: (value) => (typeof value === "string" ? value : value instanceof TomlDate ? value.toISOString() : undefined),
});

export const flag = (initial: boolean): Field<boolean> => ({
  expected: "true or false",
  initial,
  read: (value) => (typeof value === "boolean" ? value : undefined),
});

export const integer = (initial: number, min = 0): Field<number> => ({
  expected: `a whole number from ${min}`,
  initial,
  read: (value) => {
    const number = typeof value === "bigint" ? Number(value) : undefined;
    return number !== undefined && Number.isSafeInteger(number) && number >= min ? number : undefined;
  },
});

export const oneOf = <const T extends string>(names: readonly T[], initial: NoInfer<T>): Field<T> => ({
  expected: `one of ${names.join(", ")}`,
  initial,
  read: (value) => names.find((name) => name === value),
});

export const listOf = <T>(
  item: Field<unknown> & { read(value: unknown): T | undefined },
  initial: readonly T[] = [],
): Field<readonly T[]> => ({
  expected: `a list, each ${item.expected}`,
  initial,
  read: (value) => {
    if (!Array.isArray(value)) return undefined;
    const items = value.map((entry) => item.read(entry));
    return items.every((entry) => entry !== undefined) ? (items as T[]) : undefined;
  },
});

/** A field that is absent has its default; one that does not fit has it too and is reported. */
export function readFields<F extends Fields>(
  fields: F,
  table: unknown,
  onFault: (key: string, expected: string) => void,
) {
  const values = Object.entries(fields).map(([key, field]) => {
    const value = isTable(table) && Object.hasOwn(table, key) ? table[key] : undefined;
    const read = value === undefined ? field.initial : field.read(value);
    if (read === undefined) onFault(key, field.expected);
    return [key, read ?? field.initial];
  });
  return Object.fromEntries(values) as Values<F>;
}

export function readSections<S extends Sections>(sections: S, table: TomlTable, onFault: (fault: string) => void) {
  const values = Object.entries(sections).map(([name, fields]) => {
    const section = table[name];
    if (section !== undefined && !isTable(section)) onFault(`${name} must be a table`);
    return [name, readFields(fields, section, (key, expected) => onFault(`${name}.${key} must be ${expected}`))];
  });
  return Object.fromEntries(values) as SectionValues<S>;
}

/** The table with these sections in it; keys that are not in them stay as they were. */
export function withSections(table: TomlTable, sections: Readonly<Record<string, object>>): TomlTable {
  const merged = Object.entries(sections).map(([name, values]) => [name, withFields(table[name], values)]);
  return { ...table, ...Object.fromEntries(merged) };
}

export function withFields(table: TomlValue | undefined, values: object): TomlTable {
  const written = Object.entries(values).map(([key, value]) => [key, toToml(value)]);
  return { ...(isTable(table) ? table : {}), ...Object.fromEntries(written) };
}

function toToml(value: unknown): TomlValue {
  if (typeof value === "number") return BigInt(value);
  return Array.isArray(value) ? value.map(toToml) : (value as TomlValue);
}

/** The table, or what is wrong with the text. Whole numbers come as bigint, so that a float nobody here knows is written back as a float. */
export function parseToml(source: string): TomlTable | string {
  try {
    return parse(source, { integersAsBigInt: true });
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const what = error.message.replace(/^Invalid TOML document: /, "").split("\n")[0];
    return `line ${error.line}: ${what}`;
  }
}

/** Undefined when it cannot be said in TOML, or could not be read back. */
export function renderToml(table: TomlTable): string | undefined {
  try {
    const source = stringify(table, { numbersAsFloat: true });
    parse(source, { integersAsBigInt: true });
    return source.endsWith("\n") ? source : `${source}\n`;
  } catch {
    return undefined;
  }
}

export function toJson(value: TomlValue): Json {
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.map(toJson);
  if (!isTable(value)) return value as Json;
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, toJson(entry)])) as JsonObject;
}

export function isTable(value: unknown): value is TomlTable {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date);
}
