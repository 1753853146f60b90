/** The form that Claude Code introduced and others took over: an answer's fields under `hookSpecificOutput`. */
import type { ToldContext } from "../core/context.ts";
import type { JsonObject } from "../core/json.ts";
import { contextText } from "./answer-text.ts";
import type { Native } from "./host.ts";
import type { Said } from "./render-forms.ts";

/** Empty: nothing to say, so nothing is printed. */
export function specific({ event }: Native, fields: JsonObject): { readonly json?: JsonObject } {
  if (Object.keys(fields).length === 0) return {};
  return { json: { hookSpecificOutput: { hookEventName: event, ...fields } } };
}

export const contextOnly = ({ native, context }: Pick<Said, "native" | "context">): { readonly json?: JsonObject } =>
  specific(native, additionalContext(context));

export const additionalContext = (context: readonly ToldContext[]): JsonObject =>
  context.length > 0 ? { additionalContext: contextText(context) } : {};
