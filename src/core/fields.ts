/**
 * Shapes as data. Events, wire answers and hook options are declared once in this small language; the TypeScript type,
 * the check at the edge and the published JSON Schema are all derived from that declaration. It exists because the hot
 * path may not load a schema library (docs/decisions/0003).
 */
import { isJsonObject, type Json } from "./json.ts";

export type Spec =
  | { readonly type: "string" | "boolean" | "integer" | "json" }
  | { readonly type: "enum"; readonly values: readonly string[] }
  | { readonly type: "nullable"; readonly of: Spec }
  | { readonly type: "list"; readonly of: Spec }
  | { readonly type: "map"; readonly of: Spec }
  | { readonly type: "object"; readonly fields: Fields };

export interface Field<T = unknown, Optional extends boolean = boolean> {
  readonly spec: Spec;
  readonly doc: string;
  readonly optional: Optional;
  /** Never present: carries T for inference. */
  readonly infer?: T;
}

export type Fields = { readonly [name: string]: Field };

type Flat<T> = { [K in keyof T]: T[K] };
type TypeOf<F> = F extends Field<infer T, boolean> ? T : never;
export type ShapeOf<F extends Fields> = Flat<
  { readonly [K in keyof F as F[K]["optional"] extends true ? never : K]: TypeOf<F[K]> } & {
    readonly [K in keyof F as F[K]["optional"] extends true ? K : never]?: TypeOf<F[K]> | undefined;
  }
>;

const required = <T>(spec: Spec, doc: string): Field<T, false> => ({ spec, doc, optional: false });

export const text = (doc = "") => required<string>({ type: "string" }, doc);
export const flag = (doc = "") => required<boolean>({ type: "boolean" }, doc);
export const count = (doc = "") => required<number>({ type: "integer" }, doc);
export const anyJson = (doc = "") => required<Json>({ type: "json" }, doc);
export const oneOf = <const V extends readonly string[]>(values: V, doc = "") =>
  required<V[number]>({ type: "enum", values }, doc);
export const object = <F extends Fields>(fields: F, doc = "") => required<ShapeOf<F>>({ type: "object", fields }, doc);

export const nullable = <T>(field: Field<T, false>) =>
  required<T | null>({ type: "nullable", of: field.spec }, field.doc);
export const list = <T>(field: Field<T, false>, doc = field.doc) =>
  required<readonly T[]>({ type: "list", of: field.spec }, doc);
export const map = <T>(field: Field<T, false>, doc = field.doc) =>
  required<{ readonly [key: string]: T }>({ type: "map", of: field.spec }, doc);
export const optional = <T>(field: Field<T, false>): Field<T, true> => ({ ...field, optional: true });

export interface Problem {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** Every way in which a value differs from its declared fields. Unknown keys are problems. */
export function checkFields(value: unknown, fields: Fields, path: Problem["path"] = []): Problem[] {
  if (!isJsonObject(value)) return [{ path, message: `must be an object, not ${nameType(value)}` }];
  const problems: Problem[] = [];
  for (const key of Object.keys(value)) {
    if (!Object.hasOwn(fields, key)) problems.push({ path: [...path, key], message: `unknown field "${key}"` });
  }
  for (const [name, field] of Object.entries(fields)) {
    if (!Object.hasOwn(value, name)) {
      if (!field.optional) problems.push({ path: [...path, name], message: `missing field "${name}"` });
      continue;
    }
    problems.push(...checkSpec(value[name], field.spec, [...path, name]));
  }
  return problems;
}

function checkSpec(value: unknown, spec: Spec, path: Problem["path"]): Problem[] {
  const wrong = (expected: string): Problem[] => [{ path, message: `must be ${expected}, not ${nameType(value)}` }];
  switch (spec.type) {
    case "json":
      return [];
    case "string":
      return typeof value === "string" ? [] : wrong("a string");
    case "boolean":
      return typeof value === "boolean" ? [] : wrong("true or false");
    case "integer":
      return Number.isSafeInteger(value) && (value as number) >= 0 ? [] : wrong("a whole number from 0 up");
    case "enum": {
      if (typeof value === "string" && spec.values.includes(value)) return [];
      return [{ path, message: `must be one of ${spec.values.join(", ")}, not ${JSON.stringify(value)}` }];
    }
    case "nullable":
      return value === null ? [] : checkSpec(value, spec.of, path);
    case "list":
      if (!Array.isArray(value)) return wrong("a list");
      return value.flatMap((item, index) => checkSpec(item, spec.of, [...path, index]));
    case "map":
      if (!isJsonObject(value)) return wrong("an object");
      return Object.entries(value).flatMap(([key, item]) => checkSpec(item, spec.of, [...path, key]));
    case "object":
      return checkFields(value, spec.fields, path);
  }
}

function nameType(value: unknown): string {
  if (value === null) return "null";
  if (value === undefined) return "nothing";
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

/** The same declaration as JSON Schema draft-07, keys sorted so that regeneration is byte-stable. */
export function toJsonSchema(fields: Fields): Json {
  const names = Object.keys(fields).sort();
  return {
    additionalProperties: false,
    properties: Object.fromEntries(names.map((name) => [name, specSchema(fields[name] as Field)])),
    ...(names.some((name) => !fields[name]?.optional)
      ? { required: names.filter((name) => !fields[name]?.optional) }
      : {}),
    type: "object",
  };
}

function specSchema(field: Pick<Field, "spec" | "doc">): Json {
  const described = (schema: { [key: string]: Json }): Json =>
    field.doc ? { description: field.doc, ...schema } : schema;
  const inner = (spec: Spec): Json => specSchema({ spec, doc: "" });
  const { spec } = field;
  switch (spec.type) {
    case "json":
      return described({});
    case "integer":
      return described({ minimum: 0, type: "integer" });
    case "string":
    case "boolean":
      return described({ type: spec.type });
    case "enum":
      return described({ enum: spec.values, type: "string" });
    case "nullable":
      return described({ anyOf: [inner(spec.of), { type: "null" }] });
    case "list":
      return described({ items: inner(spec.of), type: "array" });
    case "map":
      return described({ additionalProperties: inner(spec.of), type: "object" });
    case "object":
      return described(toJsonSchema(spec.fields) as { [key: string]: Json });
  }
}
