/** What a tool's JSON Schema says of an input that hooks wrote: not every SDK looks at it again. */
import * as z from "zod";
import { isJsonObject, type JsonObject } from "../core/json.ts";

type Problem = (input: JsonObject) => string | undefined;

const compiled = new WeakMap<object, Problem>();

/** Undefined where the schema says nothing, or where it refused already what the model sent: that is the SDK's to report. */
export function schemaProblem(schema: unknown, sent: JsonObject): Problem | undefined {
  if (!isJsonObject(schema)) return undefined;
  const problem = compiled.get(schema) ?? compile(schema);
  compiled.set(schema, problem);
  return problem(sent) === undefined ? problem : undefined;
}

function compile(schema: JsonObject): Problem {
  try {
    const read = z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]);
    return (input) => {
      const { error } = read.safeParse(input);
      return error?.issues.map(({ path, message }) => [path.join("."), message].filter(Boolean).join(": ")).join("; ");
    };
  } catch {
    // A schema beyond what can be read here is left to the SDK and the tool.
    return () => undefined;
  }
}
