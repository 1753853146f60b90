/** JSON of others: an object, or nothing. */
import { isJsonObject, type Json, type JsonObject } from "../core/json.ts";

export function objectIn(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

export const asObject = (value: Json | undefined): JsonObject => (isJsonObject(value) ? value : {});

export const asText = (value: Json | undefined): string => (typeof value === "string" ? value : "");
