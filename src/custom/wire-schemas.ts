/** The contract of command hooks for their authors: JSON Schema draft-07, one for each event's stdin and stdout. */
import { EVENT_NAMES, type EventName } from "../core/event.ts";
import { type Fields, toJsonSchema } from "../core/fields.ts";
import { isJsonObject, type Json, type JsonObject } from "../core/json.ts";
import { answerFields, contradictions } from "./answer-fields.ts";
import { wireInputFields } from "./wire-input.ts";

/** File name to schema, keys in order, so that writing them out again gives the same bytes. */
export function wireSchemas(): { readonly [file: string]: JsonObject } {
  return Object.fromEntries(
    EVENT_NAMES.flatMap((event) => [
      schemaFile(event, "input", wireInputFields(event), {}),
      schemaFile(event, "output", answerFields(event), withoutContradictions(event)),
    ]),
  );
}

function schemaFile(
  event: EventName,
  side: "input" | "output",
  fields: Fields,
  extra: JsonObject,
): [string, JsonObject] {
  const title = `${event.replaceAll("_", "-")}.command.${side}`;
  const schema = {
    $comment: "Generated from the event table by `npm run generate`; do not edit.",
    $schema: "http://json-schema.org/draft-07/schema#",
    title,
    ...(toJsonSchema(fields) as JsonObject),
    ...extra,
  };
  return [`${title}.schema.json`, inOrder(schema) as JsonObject];
}

function withoutContradictions(event: EventName): JsonObject {
  const sets = contradictions(event);
  if (sets.length === 0) return {};
  const together = (set: JsonObject): Json => ({
    properties: Object.fromEntries(Object.entries(set).map(([key, value]) => [key, { const: value }])),
    required: Object.keys(set).sort(),
  });
  return { not: { anyOf: sets.map(together) } };
}

/** Keys sorted all the way down; the event's own name as the constant it is. */
function inOrder(value: Json, key?: string): Json {
  if (Array.isArray(value)) return value.map((item) => inOrder(item));
  if (!isJsonObject(value)) return value;
  const { enum: values, ...rest } = value;
  const constant = key === "hook_event_name" && Array.isArray(values);
  const entries = Object.entries(constant ? { ...rest, const: values[0] as Json } : value);
  return Object.fromEntries(entries.map(([name, item]) => [name, inOrder(item, name)] as const).sort(byName));
}

const byName = ([left]: readonly [string, Json], [right]: readonly [string, Json]) => (left < right ? -1 : 1);
