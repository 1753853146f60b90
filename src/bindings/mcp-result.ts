/** The result of an MCP tool as hooks left it. What is hidden in one of its two forms must not stay in the other. */
import { isJsonObject, type Json, type JsonObject, sameJson } from "../core/json.ts";
import type { SchemaProblem } from "./json-schema.ts";

export const textContent = (text: string): JsonObject => ({ type: "text", text });

/** A result by which the model reads that the tool did not run or its output is withheld. */
export const errorResult = (text: string): JsonObject => ({ content: [textContent(text)], isError: true });

export const withContext = (result: JsonObject, context: readonly string[]): JsonObject =>
  context.length === 0
    ? result
    : { ...result, content: [...(Array.isArray(result.content) ? result.content : []), ...context.map(textContent)] };

export function rewrittenResult(
  original: JsonObject,
  output: Json,
  failed: boolean,
  outputProblem: SchemaProblem | undefined,
): JsonObject {
  if (sameJson(original, output)) return original;
  const result = inStep(original, asResult(output, original.structuredContent !== undefined));
  if (failed || result.isError === true) return withoutStructure({ ...result, isError: true });
  if (outputProblem === undefined) return result;
  // A client that knows the schema throws at a result that does not fit: as an error it is read.
  const fits = result.structuredContent !== undefined && outputProblem(result.structuredContent) === undefined;
  return fits ? result : withoutStructure({ ...result, isError: true });
}

/** A hook may answer with a whole result, or with a text. */
function asResult(output: Json, structured: boolean): JsonObject {
  if (isJsonObject(output) && Array.isArray(output.content)) return output;
  const text = typeof output === "string" ? output : JSON.stringify(output);
  const structure = structured ? objectIn(output) : undefined;
  return { content: [textContent(text)], ...(structure ? { structuredContent: structure } : {}) };
}

function objectIn(output: Json): JsonObject | undefined {
  if (typeof output !== "string") return isJsonObject(output) ? output : undefined;
  try {
    const value: Json = JSON.parse(output);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Both forms say the same: where only one of them was changed, the other follows. */
function inStep(original: JsonObject, result: JsonObject): JsonObject {
  const { content, structuredContent } = result;
  if (original.structuredContent === undefined || structuredContent === undefined) return result;
  const contentChanged = !sameJson(content ?? null, original.content ?? null);
  const structureChanged = !sameJson(structuredContent, original.structuredContent);
  if (contentChanged && !structureChanged) return withoutStructure(result);
  if (structureChanged && !contentChanged)
    return { ...result, content: [textContent(JSON.stringify(structuredContent))] };
  return result;
}

function withoutStructure({ structuredContent: _hidden, ...rest }: JsonObject): JsonObject {
  return rest;
}

/** Deeper than anything that must be read by people, and than what a stack holds that follows it. */
const MAX_DEPTH = 500;

/** Without following it on the stack. */
export function isTooDeep(value: Json): boolean {
  let level: readonly Json[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) return true;
    level = level.flatMap((item) => (typeof item === "object" && item !== null ? Object.values(item) : []));
  }
  return false;
}
