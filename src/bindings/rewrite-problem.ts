/** What a tool's schema says of an input that hooks wrote: not every SDK looks at it again. */

import { isJsonObject, type JsonObject } from "../core/json.ts";
import type { InputProblem } from "../embed/tool-call.ts";
import { schemaProblem } from "./json-schema.ts";

/** Undefined where there is no schema, or where it refuses already what the model sent: that is the SDK's to report. */
export function rewriteProblem(schema: unknown, sent: JsonObject): InputProblem | undefined {
  if (!isJsonObject(schema)) return undefined;
  const problem = schemaProblem(schema);
  return problem(sent) === undefined ? problem : undefined;
}
