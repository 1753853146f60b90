/** What a tool of LangChain takes. */
import type { JsonObject } from "../core/json.ts";
import type { InputProblem } from "../embed/tool-call.ts";
import { schemaProblem } from "./json-schema.ts";

/** A tool's schema is one of zod, whose answer is at hand, or JSON Schema. Another kind the tool itself checks. */
export function problemOf(schema: unknown): InputProblem | undefined {
  if (typeof schema !== "object" || schema === null) return undefined;
  const { safeParse, type } = schema as { safeParse?: (value: unknown) => SafeParsed; type?: unknown };
  if (typeof safeParse === "function") {
    return (input) => {
      const { success, error } = safeParse.call(schema, input);
      return success ? undefined : `it does not fit the tool's schema: ${error?.message}`;
    };
  }
  return type === "object" ? schemaProblem(schema as JsonObject) : undefined;
}
interface SafeParsed {
  readonly success: boolean;
  readonly error?: { readonly message: string };
}
