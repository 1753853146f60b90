/** Inputs and outputs of tools as the OpenAI Agents SDK passes them: texts, parts, anything. */
import { isJsonObject, type Json, type JsonObject } from "../core/json.ts";
import { withContext } from "./hook-context.ts";
import type { RunContext } from "./openai-agents-shapes.ts";
import { rebuilt } from "./rebuilt-output.ts";
import { reminder } from "./reminder.ts";

export function objectOf(text: string): JsonObject | undefined {
  if (text.trim() === "") return {};
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The one text field of an input is what an agent is asked; of several, all of them. */
export function objectiveOf(input: JsonObject): { readonly field?: string; readonly text: string } {
  const texts = Object.entries(input).filter((entry): entry is [string, string] => typeof entry[1] === "string");
  const [only] = texts;
  if (only && texts.length === 1) return { field: only[0], text: only[1] };
  return { text: Object.keys(input).length === 0 ? "" : JSON.stringify(input) };
}

export const textOf = (value: Json): string => (typeof value === "string" ? value : JSON.stringify(value));

export function jsonOf(value: unknown): Json {
  return value === undefined ? "" : (JSON.parse(JSON.stringify(value) ?? '""') as Json);
}

/** What hooks made of what a tool returned: its parts stay parts, with their bytes. */
export const givenBack = (returned: unknown, output: Json): unknown =>
  returned === undefined && output === jsonOf(returned) ? returned : rebuilt(returned, output);

/** Context can only go where the output goes. An output with a schema has no place for it. */
export function addContext(output: unknown, context: readonly string[], hasSchema: boolean): unknown {
  if (context.length === 0 || hasSchema) return output;
  if (typeof output === "string") return withContext(output, context);
  if (Array.isArray(output)) return [...output, { type: "text", text: reminder(context) }];
  const isPart = isJsonObject(output) && typeof output.type === "string";
  return isPart ? [output, { type: "text", text: reminder(context) }] : withContext(textOf(jsonOf(output)), context);
}

/** The calls that a person said no to, one by one. */
export const rejectedIn = (context: RunContext): readonly string[] =>
  Object.values(context.toJSON().approvals ?? {}).flatMap(({ rejected }) => (Array.isArray(rejected) ? rejected : []));
