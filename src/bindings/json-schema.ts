/** Whether an input fits a tool's JSON Schema. */
import { AjvJsonSchemaValidator } from "@modelcontextprotocol/sdk/validation/ajv";
import type { JsonObject } from "../core/json.ts";

export type SchemaProblem = (value: unknown) => string | undefined;

const known = new WeakMap<object, SchemaProblem>();

/** Says what is wrong with a value. A schema that cannot be read refuses everything: it was not checked. */
export function schemaProblem(schema: JsonObject): SchemaProblem {
  const found = known.get(schema) ?? compiled(schema);
  known.set(schema, found);
  return found;
}

function compiled(schema: JsonObject): SchemaProblem {
  try {
    // One per schema: two tools may use the same $id.
    const validate = new AjvJsonSchemaValidator().getValidator(schema);
    return (value) => {
      const { valid, errorMessage } = validate(value);
      return valid ? undefined : `it does not fit the tool's schema: ${errorMessage}`;
    };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return () => `the tool's schema cannot be read: ${why}`;
  }
}
